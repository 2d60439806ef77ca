import { nothingAwaited } from '#events/awaited-payments.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { type IndexSpec, projection, remove } from '#kernel/projection.ts';
import type { InvoiceBalance } from '#values/invoice-balance.ts';
import { datesAfter, noOrderDates } from '#values/order-transitions.ts';
import { correctedEmail } from '#values/corrected-email.ts';
import { idOf, streamOf } from '#values/stream-name.ts';
import { type EventOfType, folded, type OrderFacts, type OrderFold } from './order-fold.ts';
import { paid, refunded, refundFailed, riskAssessed } from './order-money.ts';
import { orderCounters } from './order-counters.ts';
import { invoicesOf, isOfTerms, type TermsEvent } from './order-terms.ts';
import { shipmentFold } from './order-shipments.ts';
import { submissionFold } from './order-submissions.ts';
import { forgottenOrder } from './order-forgotten.ts';
import type { OrderDocument } from './order.document.ts';

/** What edits do to the document of an invoice (docs/rules/invoice-editing.md). */
const orderEdits: OrderFold = {
  InvoiceEdited: (document, { recordedAt, data }) => {
    if (!document?.content) return document;
    const { content, balance, orderStatuses, difference } = data;
    return {
      ...document,
      dateUpdated: recordedAt,
      content,
      balance,
      orderStatuses: { ...document.orderStatuses, ...orderStatuses },
      keptInStoreCurrency: document.keptInStoreCurrency + difference.returns,
    };
  },
};

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
  notes: [],
  laterNotes: {},
  orderDates: {},
  cancellationReasons: {},
  fulfilments: {},
  awaited: nothingAwaited,
  shipments: [],
  keptInStoreCurrency: 0,
} as const;

const created = (event: EventOfType<'InvoiceCreated'>, key: string): OrderFacts => {
  const { invoiceNumber, content, balance, email, billingAddress, shippingAddress } = event.data;
  return {
    ...unpaid,
    _id: key,
    invoiceNumber,
    dateCreated: content.createdAt,
    dateUpdated: event.recordedAt,
    businessDay: content.businessDay,
    customerId: content.customerId,
    customerTerms: content.accountTerms ? 'account' : 'none',
    email,
    billingAddress,
    shippingAddress,
    content,
    dueDate: content.accountTerms?.dueDate ?? null,
    balance,
    orderStatuses: Object.fromEntries(content.orders.map(({ orderId }) => [orderId, 'Pending'])),
  };
};

/** A number without an invoice is listed as cancelled, so that it is not missed. */
const voided = (event: EventOfType<'InvoiceVoided'>, key: string): OrderFacts => {
  const { invoiceNumber, businessDay, reason } = event.data;
  return {
    ...unpaid,
    _id: key,
    invoiceNumber,
    dateCreated: event.recordedAt,
    dateUpdated: event.recordedAt,
    businessDay,
    cancellationStatus: 'cancelled',
    awaited: null,
    cancellation: { reason: 'void', at: event.recordedAt, detail: reason },
    customerId: null,
    customerTerms: 'none',
    email: null,
    billingAddress: null,
    shippingAddress: null,
    content: null,
    dueDate: null,
    balance: nothingDue,
    orderStatuses: {},
  };
};

const superseded = (
  document: OrderDocument | null,
  event: EventOfType<'InvoiceSuperseded'>,
): OrderFacts | null =>
  document && {
    ...document,
    dateUpdated: event.recordedAt,
    cancellationStatus: 'cancelled',
    cancellation: { reason: 'superseded', at: event.recordedAt, detail: null },
  };

const cancelled = (
  document: OrderDocument | null,
  {
    recordedAt,
    data: { reason: detail, cancelledAt: at, cancelledBy, balance },
  }: EventOfType<'InvoiceCancelled'>,
): OrderFacts | null =>
  document && {
    ...document,
    dateUpdated: recordedAt,
    balance,
    cancellationStatus: 'cancelled',
    cancellation: { reason: cancelledBy === undefined ? 'expired' : 'cancelled', at, detail },
  };

const moved = (
  document: OrderDocument,
  { recordedAt, data: { orderId, to, reason } }: EventOfType<'OrderStatusChanged'>,
): OrderFacts => {
  const dates = document.orderDates[orderId] ?? noOrderDates;
  return {
    ...document,
    dateUpdated: recordedAt,
    orderDates: { ...document.orderDates, [orderId]: datesAfter(dates, to, recordedAt) },
    ...(reason !== undefined &&
      to === 'Cancelled' && { cancellationReasons: { ...document.cancellationReasons, [orderId]: reason } }),
    orderStatuses: { ...document.orderStatuses, [orderId]: to },
  };
};

type Changed = Pick<EventOfType<InvoiceEvent['type']>, 'recordedAt'>;

const touched = (document: OrderDocument | null, { recordedAt }: Changed): OrderFacts | null =>
  document && { ...document, dateUpdated: recordedAt };

const withBalance = (
  document: OrderDocument | null,
  { recordedAt, data: { balance } }: Changed & { readonly data: { readonly balance: InvoiceBalance } },
): OrderFacts | null => document && { ...document, dateUpdated: recordedAt, balance };

const standing = 'cancellationStatus';
const country = 'billingAddress.countryCode';

const kinds = ['balance.paymentStatus', 'fulfillmentStatus', 'statusSet'];
const sorts = ['totalInStoreCurrency', 'invoiceNumber', 'customerKey', 'dueDate'];
/** What a search, or several filters at once, look through. */
const lookedThrough = [...kinds, country, 'searchText'];

/** Each sort and each filter has an index, and holds the other filters: a page is read in order until it is full. */
const orderIndexes: readonly IndexSpec[] = [
  { fields: [standing, 'dateCreated'], including: [...lookedThrough, ...sorts] },
  ...sorts.map((sorted) => ({ fields: [standing, sorted], including: lookedThrough })),
  ...[...kinds, country].map((filtered) => ({ fields: [standing, filtered, 'dateCreated'] })),
  { fields: [standing, 'customerId', 'dateCreated'], including: [...lookedThrough, ...sorts] },
  { fields: ['searchText'], contains: true },
  { fields: ['businessDay', 'fulfillmentStatus', standing] },
  { fields: ['receivable', 'dueDate'], including: ['customerTerms'] },
  { fields: ['customerId', 'receivable', 'dueDate'], including: [standing] },
  { fields: ['buyerId', 'dateCreated'] },
];

/** Orders as the backoffice sees them: one document per invoice, under its id (docs/rules/orders.md#list). */
export const orderListProjection = projection<InvoiceEvent | TermsEvent>()<OrderDocument>({
  name: 'orders',
  version: 20,
  indexes: orderIndexes,
  counters: orderCounters,
  keys: (event) => (isOfTerms(event) ? invoicesOf(event) : [idOf(event.stream)]),
  streamOf: streamOf.invoice,
  on: folded({
    InvoiceCreated: (_document, event, key) => created(event, key),
    InvoiceVoided: (_document, event, key) => voided(event, key),
    InvoiceSuperseded: superseded,
    PaymentPromised: withBalance,
    PaymentSessionOpened: withBalance,
    PaymentSessionClosed: touched,
    PaymentPending: touched,
    PaymentAskedAgain: touched,
    PaymentAttemptMatched: touched,
    PaymentAuthorized: touched,
    VoidAttempted: touched,
    VoidDeclined: touched,
    AuthorizationReleased: touched,
    PaymentNotAttempted: touched,
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
    PaymentRiskAssessed: riskAssessed,
    PaymentRefunded: refunded,
    RefundFailed: refundFailed,
    RefundDeclined: touched,
    BillingAddressChanged: (document, { recordedAt, data: { address: billingAddress } }) =>
      document && {
        ...document,
        dateUpdated: recordedAt,
        billingAddress,
        email: correctedEmail(document.email, document.billingAddress, billingAddress),
      },
    ShippingAddressChanged: (document, { recordedAt, data: { address: shippingAddress } }) =>
      document && { ...document, dateUpdated: recordedAt, shippingAddress },
    PurchaseOrderNumberChanged: (document, { recordedAt, data: { purchaseOrderNumber: purchaseOrder } }) =>
      document && { ...document, dateUpdated: recordedAt, purchaseOrder },
    InvoiceForgotten: (document, { recordedAt }) => document && forgottenOrder(document, recordedAt),
    ...orderEdits,
    InvoiceDeleted: () => remove,
    ...shipmentFold,
    ...submissionFold,
    OrderStatusChanged: (document, event) => document && moved(document, event),
    SaleConfirmed: (document, { recordedAt, data: { balance, confirmedAt } }) =>
      document && { ...document, dateUpdated: recordedAt, balance, confirmedAt },
  }),
});
