import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent, OrderStatus } from '#events/invoice.fields.ts';
import type { Recorded } from '#kernel/event.ts';
import { projection, type Document } from '#kernel/projection.ts';
import type { Address } from '#values/address.ts';
import type { InvoiceBalance } from '#values/invoice-balance.ts';
import type { Minor } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';

export type FulfillmentStatus = 'Unfulfilled' | 'Processing' | 'Partial' | 'Fulfilled';

type EventOfType<Type extends InvoiceEvent['type']> = Recorded<
  Extract<InvoiceEvent, { readonly type: Type }>
>;

export type OrderPayment = Pick<
  EventOfType<'PaymentCaptured'>['data'],
  'paymentId' | 'provider' | 'method' | 'transactionId' | 'amount' | 'paidAt'
>;

/** Why an invoice is no longer to be paid: its basket was placed again, it was cancelled, or it never came to be. */
export interface Cancellation {
  readonly reason: 'superseded' | 'cancelled' | 'void';
  readonly at: string;
  /** For people. */
  readonly detail: string | null;
}

/** An invoice with its orders, for list and detail alike. Amounts in minor units. */
export interface OrderDocument extends Document {
  readonly invoiceNumber: string;
  readonly dateCreated: string;
  readonly dateUpdated: string;
  readonly businessDay: string;
  readonly cancellationStatus: 'active' | 'cancelled';
  readonly cancellation: Cancellation | null;
  /** When the sale was confirmed: only then it counts in reports. */
  readonly confirmedAt: string | null;
  /** Of a customer with account terms that name days. */
  readonly dueDate: string | null;
  /** Under which it was sold on account. */
  readonly purchaseOrder: string | null;
  readonly customerId: string | null;
  readonly customerName: string | null;
  readonly email: string | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
  /** Null for a number that was taken for an invoice that could not be created. */
  readonly content: InvoiceContent | null;
  readonly balance: InvoiceBalance;
  readonly payments: readonly OrderPayment[];
  readonly orderStatuses: Readonly<Record<string, OrderStatus>>;
  /** The statuses of the orders, each once. */
  readonly statuses: readonly OrderStatus[];
  readonly fulfillmentStatus: FulfillmentStatus;
  readonly totalInStoreCurrency: Minor;
  readonly paidInStoreCurrency: Minor;
  /** What a confirmed sale still has to bring in; 0 for every other invoice. */
  readonly outstandingInStoreCurrency: Minor;
  /** Number, name and e-mail address in lower case. */
  readonly searchText: string;
}

const searchTextOf = (...texts: readonly (string | null)[]): string =>
  texts
    .filter((text) => text !== null)
    .join(' ')
    .toLowerCase();

/** Cancelled orders do not count: what remains decides (docs/rules/orders.md#statuses). */
const fulfillmentOf = (statuses: readonly OrderStatus[]): FulfillmentStatus => {
  const open = statuses.filter((status) => status !== 'Cancelled');
  const isSent = (status: OrderStatus): boolean => status === 'Shipped' || status === 'Completed';
  if (open.length > 0 && open.every(isSent)) return 'Fulfilled';
  if (open.some((status) => isSent(status) || status === 'PartiallyShipped')) return 'Partial';
  return open.includes('Processing') ? 'Processing' : 'Unfulfilled';
};

const withStatuses = (orderStatuses: Readonly<Record<string, OrderStatus>>) => {
  const statuses = [...new Set(Object.values(orderStatuses))];
  return { orderStatuses, statuses, fulfillmentStatus: fulfillmentOf(statuses) };
};

/** The document with what a confirmed sale still has to bring in. */
const withOutstanding = (document: OrderDocument): OrderDocument => ({
  ...document,
  outstandingInStoreCurrency:
    document.confirmedAt !== null && document.balance.balanceDue > 0
      ? document.totalInStoreCurrency - document.paidInStoreCurrency
      : 0,
});

const nothingDue: InvoiceBalance = {
  amountPaid: 0,
  amountRefunded: 0,
  balanceDue: 0,
  creditDue: 0,
  givenBack: 0,
  paymentStatus: 'Unpaid',
};

/** What every invoice starts from. */
const unpaid = {
  cancellationStatus: 'active',
  cancellation: null,
  confirmedAt: null,
  payments: [],
  purchaseOrder: null,
  paidInStoreCurrency: 0,
  outstandingInStoreCurrency: 0,
} as const;

const created = (event: EventOfType<'InvoiceCreated'>, key: string): OrderDocument => {
  const { invoiceNumber, content, balance, email, billingAddress, shippingAddress } = event.data;
  const customerName = billingAddress?.name ?? null;
  return {
    ...unpaid,
    _id: key,
    invoiceNumber,
    dateCreated: content.createdAt,
    dateUpdated: event.recordedAt,
    businessDay: content.businessDay,
    customerId: content.customerId,
    customerName,
    email,
    billingAddress,
    shippingAddress,
    content,
    dueDate: content.accountTerms?.dueDate ?? null,
    balance,
    ...withStatuses(Object.fromEntries(content.orders.map(({ orderId }) => [orderId, 'Pending']))),
    totalInStoreCurrency: content.amountsInStoreCurrency.total,
    searchText: searchTextOf(invoiceNumber, customerName, email),
  };
};

/** A number without an invoice is listed among the cancelled ones, so that nobody looks for it. */
const voided = (event: EventOfType<'InvoiceVoided'>, key: string): OrderDocument => {
  const { invoiceNumber, businessDay, reason } = event.data;
  return {
    ...unpaid,
    _id: key,
    invoiceNumber,
    dateCreated: event.recordedAt,
    dateUpdated: event.recordedAt,
    businessDay,
    cancellationStatus: 'cancelled',
    cancellation: { reason: 'void', at: event.recordedAt, detail: reason },
    customerId: null,
    customerName: null,
    email: null,
    billingAddress: null,
    shippingAddress: null,
    content: null,
    dueDate: null,
    balance: nothingDue,
    ...withStatuses({}),
    totalInStoreCurrency: 0,
    searchText: searchTextOf(invoiceNumber),
  };
};

const superseded = (
  document: OrderDocument | null,
  event: EventOfType<'InvoiceSuperseded'>,
): OrderDocument | null =>
  document && {
    ...document,
    dateUpdated: event.recordedAt,
    cancellationStatus: 'cancelled',
    cancellation: { reason: 'superseded', at: event.recordedAt, detail: null },
  };

const cancelled = (
  document: OrderDocument | null,
  { recordedAt, data: { reason, cancelledAt, balance } }: EventOfType<'InvoiceCancelled'>,
): OrderDocument | null =>
  document && {
    ...document,
    dateUpdated: recordedAt,
    balance,
    cancellationStatus: 'cancelled',
    cancellation: { reason: 'cancelled', at: cancelledAt, detail: reason },
  };

const paid = (
  document: OrderDocument | null,
  event: EventOfType<'PaymentCaptured'>,
): OrderDocument | null => {
  if (!document) return null;
  const { paymentId, provider, method, transactionId, amount, amountInStoreCurrency, paidAt, balance } =
    event.data;
  return withOutstanding({
    ...document,
    dateUpdated: event.recordedAt,
    balance,
    payments: [...document.payments, { paymentId, provider, method, transactionId, amount, paidAt }],
    paidInStoreCurrency: document.paidInStoreCurrency + amountInStoreCurrency,
  });
};

/** Orders as the backoffice sees them: one document per invoice, under its id (docs/rules/orders.md#list). */
export const orderListProjection = projection<InvoiceEvent>()<OrderDocument>({
  name: 'orders',
  version: 2,
  indexes: [
    { fields: ['dateCreated'] },
    { fields: ['cancellationStatus', 'dateCreated'] },
    { fields: ['totalInStoreCurrency'] },
    { fields: ['invoiceNumber'] },
    { fields: ['customerId'] },
    { fields: ['businessDay', 'fulfillmentStatus'] },
    { fields: ['outstandingInStoreCurrency'] },
  ],
  keys: (event) => [idOf(event.stream)],
  on: {
    InvoiceCreated: (_document, event, key) => created(event, key),
    InvoiceVoided: (_document, event, key) => voided(event, key),
    InvoiceSuperseded: superseded,
    PaymentPromised: (document, { recordedAt, data: { balance } }) =>
      document && { ...document, dateUpdated: recordedAt, balance },
    PurchaseOrderAccepted: (document, { recordedAt, data: { purchaseOrderNumber, dueDate, balance } }) =>
      document && {
        ...document,
        dateUpdated: recordedAt,
        purchaseOrder: purchaseOrderNumber,
        dueDate,
        balance,
      },
    InvoiceCancelled: cancelled,
    PaymentCaptured: paid,
    OrderStatusChanged: (document, { recordedAt, data: { orderId, to } }) =>
      document && {
        ...document,
        dateUpdated: recordedAt,
        ...withStatuses({ ...document.orderStatuses, [orderId]: to }),
      },
    SaleConfirmed: (document, { recordedAt, data: { balance, confirmedAt } }) =>
      document && withOutstanding({ ...document, dateUpdated: recordedAt, balance, confirmedAt }),
  },
});
