import type { InvoiceBalance } from '#values/invoice-balance.ts';
import type { InvoiceEventOf, Part } from '../invoice-part.state.ts';

export interface RequestedOrder {
  readonly requestId: string;
  /** Null once erased. */
  readonly purchaseOrderNumber: string | null;
  /** The amount to claim. */
  readonly amountInStoreCurrency: number;
  /** ISO instant. */
  readonly requestedAt: string;
}

/** The purchase order that an invoice was sold on. */
interface AcceptedOrder extends Pick<RequestedOrder, 'requestId' | 'purchaseOrderNumber'> {
  /** ISO instant; null if the customer's terms name no days. */
  readonly dueDate: string | null;
}

/** Selling on account (docs/rules/purchase-orders.md). */
export interface OnAccount {
  readonly orderRequest: RequestedOrder | null;
  /** Why the latest request was refused. */
  readonly refusedOrder: Pick<
    InvoiceEventOf<'PurchaseOrderRefused'>['data'],
    'requestId' | 'code' | 'message'
  > | null;
  readonly orderRequests: number;
  readonly purchaseOrder: AcceptedOrder | null;
  /** As on the invoice; staff may correct it. Null if there is none, or once erased. */
  readonly purchaseOrderNumber: string | null;
  /** Whether the customer's stream knows what is due; null while nothing was ever owed. */
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

/** From the request for a purchase order until the sale is announced; nothing else happens to the invoice then. */
export const isBeingSoldOnAccount = ({ orderRequest, purchaseOrder, isConfirmed }: OnAccount): boolean =>
  orderRequest !== null || (purchaseOrder !== null && !isConfirmed);

/** An announced sale that the customer's stream knows to be owed. */
export const isOnAccount = ({ isOutstandingNoted, isConfirmed }: OnAccount): boolean =>
  isOutstandingNoted !== null && isConfirmed;

/** The customer's stream is to be told a new amount. */
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
