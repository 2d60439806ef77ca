/** Asks for an invoice to be sold on account. The order's number is the business key of a repeat. */
export interface RequestPurchaseOrder {
  readonly type: 'RequestPurchaseOrder';
  readonly purchaseOrderNumber: string;
}

/** The customer's credit has been claimed. */
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

/** The customer's stream has been told what is still owed. Minor units of the store's currency. */
export interface NoteOutstanding {
  readonly type: 'NoteOutstanding';
  readonly amount: number;
}

export type PurchaseOrderCommand =
  RequestPurchaseOrder | AcceptPurchaseOrder | RefusePurchaseOrder | NoteOutstanding;
