/** Asks for a sale on account. The order's number identifies a repeat. */
export interface RequestPurchaseOrder {
  readonly type: 'RequestPurchaseOrder';
  readonly purchaseOrderNumber: string;
}

/** Accepts the purchase order once the customer's credit is claimed. */
export interface AcceptPurchaseOrder {
  readonly type: 'AcceptPurchaseOrder';
  readonly requestId: string;
  readonly dueDate: string | null;
}

export interface RefusePurchaseOrder {
  readonly type: 'RefusePurchaseOrder';
  readonly requestId: string;
  readonly code: string;
  readonly message: string;
}

/** Notes what the customer's stream knows to be due, in minor units of the store's currency. */
export interface NoteOutstanding {
  readonly type: 'NoteOutstanding';
  readonly amount: number;
}

export type PurchaseOrderCommand =
  | RequestPurchaseOrder
  | AcceptPurchaseOrder
  | RefusePurchaseOrder
  | NoteOutstanding;
