import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';

type Data<Type extends InvoiceEvent['type']> = EventOfType<InvoiceEvent, Type>['data'];

/** A purchase order whose credit is being claimed. */
export interface RequestedOrder {
  readonly requestId: string;
  /** Null once it is forgotten. */
  readonly purchaseOrderNumber: string | null;
  /** What is to be claimed, in the store's currency. */
  readonly amountInStoreCurrency: number;
  /** ISO instant. */
  readonly requestedAt: string;
}

/** By what an invoice was sold without money. */
interface AcceptedOrder extends Pick<RequestedOrder, 'requestId' | 'purchaseOrderNumber'> {
  /** ISO instant; null where the customer's terms name no days. */
  readonly dueDate: string | null;
}

/** What an invoice knows of being sold on account (docs/rules/purchase-orders.md). */
export interface OnAccount {
  readonly orderRequest: RequestedOrder | null;
  /** Why the last one was refused. */
  readonly refusedOrder: Pick<Data<'PurchaseOrderRefused'>, 'requestId' | 'code' | 'message'> | null;
  /** How many purchase orders have been asked for. */
  readonly orderRequests: number;
  readonly purchaseOrder: AcceptedOrder | null;
  /** As it stands on the invoice; staff may put it right. Null where there is none, or once it is forgotten. */
  readonly purchaseOrderNumber: string | null;
  /** Whether the customer's stream knows what is still owed; null while there was nothing to tell it. */
  readonly isOutstandingNoted: boolean | null;
  readonly isConfirmed: boolean;
}

export const notOnAccount = {
  orderRequest: null,
  refusedOrder: null,
  orderRequests: 0,
  purchaseOrder: null,
  purchaseOrderNumber: null,
  isOutstandingNoted: null,
} as const;

/** Between the request for a purchase order and the announced sale: nothing else happens to the invoice then. */
export const isBeingSoldOnAccount = ({ orderRequest, purchaseOrder, isConfirmed }: OnAccount): boolean =>
  orderRequest !== null || (purchaseOrder !== null && !isConfirmed);

/** A sale that has been announced, and of which the customer's stream was told that it is owed. */
export const isOnAccount = ({ isOutstandingNoted, isConfirmed }: OnAccount): boolean =>
  isOutstandingNoted !== null && isConfirmed;

export const orderRequested = <Invoice extends OnAccount>(
  invoice: Invoice,
  { requestId, purchaseOrderNumber, amountInStoreCurrency, requestedAt }: Data<'PurchaseOrderRequested'>,
): Invoice => ({
  ...invoice,
  orderRequest: { requestId, purchaseOrderNumber, amountInStoreCurrency, requestedAt },
  orderRequests: invoice.orderRequests + 1,
});

export const orderAccepted = <Invoice extends OnAccount>(
  invoice: Invoice,
  { requestId, purchaseOrderNumber, dueDate }: Data<'PurchaseOrderAccepted'>,
): Invoice => ({
  ...invoice,
  orderRequest: null,
  purchaseOrder: { requestId, purchaseOrderNumber, dueDate },
  purchaseOrderNumber,
  isOutstandingNoted: true,
});

export const orderRefused = <Invoice extends OnAccount>(
  invoice: Invoice,
  { requestId, code, message }: Data<'PurchaseOrderRefused'>,
): Invoice => ({ ...invoice, orderRequest: null, refusedOrder: { requestId, code, message } });

export const outstandingNoted = <Invoice extends OnAccount>(
  invoice: Invoice,
  isOutstandingNoted: boolean,
): Invoice => ({
  ...invoice,
  isOutstandingNoted,
});
