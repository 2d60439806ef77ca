import type { InvoiceBalance } from '#values/invoice-balance.ts';
import type { InvoiceEventOf, Part } from '../invoice-part.state.ts';

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
  readonly refusedOrder: Pick<
    InvoiceEventOf<'PurchaseOrderRefused'>['data'],
    'requestId' | 'code' | 'message'
  > | null;
  /** How many purchase orders have been asked for. */
  readonly orderRequests: number;
  readonly purchaseOrder: AcceptedOrder | null;
  /** As on the invoice; staff may correct it. Null where there is none, or once it is forgotten. */
  readonly purchaseOrderNumber: string | null;
  /** Whether the customer's stream knows what is still owed; null while there was nothing to tell it. */
  readonly isOutstandingNoted: boolean | null;
  readonly isConfirmed: boolean;
}

export const notOnAccount: OnAccount = {
  orderRequest: null,
  refusedOrder: null,
  orderRequests: 0,
  purchaseOrder: null,
  purchaseOrderNumber: null,
  isOutstandingNoted: null,
  isConfirmed: false,
};

/** Between the request for a purchase order and the announced sale: nothing else happens to the invoice then. */
export const isBeingSoldOnAccount = ({ orderRequest, purchaseOrder, isConfirmed }: OnAccount): boolean =>
  orderRequest !== null || (purchaseOrder !== null && !isConfirmed);

/** A sale that has been announced, and of which the customer's stream was told that it is owed. */
export const isOnAccount = ({ isOutstandingNoted, isConfirmed }: OnAccount): boolean =>
  isOutstandingNoted !== null && isConfirmed;

/** What the customer's stream was told is owed is so no more. */
const toBeNoted = (
  _: OnAccount,
  { data: { isOnAccount: isChanged } }: { readonly data: { readonly isOnAccount?: boolean | undefined } },
): Partial<OnAccount> => (isChanged ? { isOutstandingNoted: false } : {});

export const onAccountEvents = {
  PurchaseOrderNumberChanged: (_, { data: { purchaseOrderNumber } }) => ({ purchaseOrderNumber }),
  PurchaseOrderRequested: ({ orderRequests }, { data }) => {
    const { requestId, purchaseOrderNumber, amountInStoreCurrency, requestedAt } = data;
    const orderRequest = { requestId, purchaseOrderNumber, amountInStoreCurrency, requestedAt };
    return { orderRequest, orderRequests: orderRequests + 1 };
  },
  PurchaseOrderAccepted: (_, { data: { requestId, purchaseOrderNumber, dueDate, balance } }) => ({
    orderRequest: null,
    purchaseOrder: { requestId, purchaseOrderNumber, dueDate },
    purchaseOrderNumber,
    balance,
    isOutstandingNoted: true,
  }),
  PurchaseOrderRefused: (_, { data: { requestId, code, message } }) => ({
    orderRequest: null,
    refusedOrder: { requestId, code, message },
  }),
  OutstandingNoted: () => ({ isOutstandingNoted: true }),
  SaleConfirmed: (invoice, event) => ({ ...toBeNoted(invoice, event), isConfirmed: true }),
  InvoiceEdited: toBeNoted,
  PaymentCaptured: toBeNoted,
  InvoiceCancelled: toBeNoted,
  InvoiceDeleted: toBeNoted,
} satisfies Part<OnAccount & { readonly balance: InvoiceBalance }, OnAccount>;
