import { awaitedAfter, isAwaited } from '#events/awaited-payments.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { type Projection, remove } from '#kernel/projection.ts';
import { awaitingBalance } from '#values/invoice-balance.ts';
import { riskiestOf } from '#values/risk-level.ts';
import { fulfillmentOf } from '#values/order-transitions.ts';
import { searchTextOf } from '#values/search.ts';
import type { OrderContent, OrderStatus } from '#events/invoice.fields.ts';
import type { Shipment } from '#events/shipment-view.ts';
import { onTerms, type TermsEvent } from './order-terms.ts';
import { notedEvents, noteOf, notesPartOf } from './order-notes.ts';
import type { DeliveryStatus, OrderDocument } from './order.document.ts';

type OrderShipment = Pick<Shipment, 'orderId' | 'lines' | 'status'>;

const unitsOf = (lines: readonly { readonly quantity: number }[]): number =>
  lines.reduce((sum, { quantity }) => sum + quantity, 0);

/**
 * How far the goods of an invoice have come; null when nothing ships (docs/rules/orders.md#list). Orders and shipments
 * that are cancelled do not count.
 */
export const deliveryStatusOf = (
  orders: readonly Pick<OrderContent, 'orderId' | 'lines'>[],
  orderStatuses: Readonly<Record<string, OrderStatus>>,
  shipments: readonly OrderShipment[],
): DeliveryStatus | null => {
  let owed = 0;
  for (const { orderId, lines } of orders)
    if (orderStatuses[orderId] !== 'Cancelled')
      for (const { isDigital, quantity } of lines) owed += isDigital ? 0 : quantity;
  if (owed === 0) return null;
  const units = { Preparing: 0, Shipped: 0, Delivered: 0, Cancelled: 0 };
  for (const { orderId, status, lines } of shipments)
    if (orderStatuses[orderId] !== 'Cancelled') units[status] += unitsOf(lines);
  const delivered = units.Delivered;
  const sent = delivered + units.Shipped;
  if (delivered >= owed) return 'Delivered';
  if (sent >= owed) return 'Shipped';
  if (sent > 0) return 'PartiallyShipped';
  return units.Preparing > 0 ? 'Preparing' : 'NotShipped';
};

/** A recorded event of an invoice, by its type. */
export type EventOfType<Type extends InvoiceEvent['type']> = Recorded<
  Extract<InvoiceEvent, { readonly type: Type }>
>;

/** What follows from the rest of a document. */
type Derived =
  | 'buyerId'
  | 'statuses'
  | 'statusSet'
  | 'fulfillmentStatus'
  | 'deliveryStatus'
  | 'customerName'
  | 'customerKey'
  | 'searchText'
  | 'totalInStoreCurrency'
  | 'receivable'
  | 'outstandingInStoreCurrency'
  | 'risk';

/** What events say of an invoice. */
export type OrderFacts = Omit<OrderDocument, Derived>;

/**
 * What events do to the document of an invoice. Each subject has its own, in a file of its own; they state what the
 * event says and leave what follows from it to `folded`.
 */
export type OrderFold = {
  readonly [Type in InvoiceEvent['type']]?: (
    document: OrderDocument | null,
    event: EventOfType<Type>,
    key: string,
  ) => OrderFacts | null | typeof remove;
};

/** What follows from how far the orders of an invoice are; most events leave that as it was. */
const ofStatuses = (
  { content, orderStatuses, shipments }: OrderFacts,
  before: OrderDocument | null,
): Pick<OrderDocument, 'statuses' | 'statusSet' | 'fulfillmentStatus' | 'deliveryStatus'> => {
  if (before?.orderStatuses === orderStatuses && before.content === content && before.shipments === shipments)
    return before;
  const statuses = [...new Set(Object.values(orderStatuses))];
  return {
    statuses,
    statusSet: [...statuses].sort().join(' '),
    fulfillmentStatus: fulfillmentOf(statuses),
    deliveryStatus: deliveryStatusOf(content?.orders ?? [], orderStatuses, shipments),
  };
};

/** What an order is found by; most events leave that as it was. */
const ofBuyer = (
  { invoiceNumber, email, billingAddress }: OrderFacts,
  before: OrderDocument | null,
): Pick<OrderDocument, 'customerName' | 'customerKey' | 'searchText'> => {
  if (
    before?.billingAddress === billingAddress &&
    before.email === email &&
    before.invoiceNumber === invoiceNumber
  )
    return before;
  const customerName = billingAddress?.name ?? null;
  return {
    customerName,
    customerKey: customerName?.toLowerCase() ?? null,
    searchText: searchTextOf([invoiceNumber, customerName, email]),
  };
};

/** What an event adds to what its function makes of it. */
type Added = Pick<OrderDocument, 'awaited' | 'notes' | 'laterNotes'>;

/** The document with what follows from the rest of it: the one place where these fields are worked out. */
const derived = (
  document: OrderFacts,
  { awaited, notes, laterNotes }: Added,
  before: OrderDocument | null,
): OrderDocument => {
  const { content, confirmedAt, payments } = document;
  const balance = awaitingBalance(document.balance, isAwaited(awaited));
  const { statuses, statusSet, fulfillmentStatus, deliveryStatus } = ofStatuses(document, before);
  const { customerName, customerKey, searchText } = ofBuyer(document, before);
  const totalInStoreCurrency = content?.amountsInStoreCurrency.total ?? 0;
  const isOpen = confirmedAt !== null && document.cancellation === null && balance.balanceDue > 0;
  return {
    ...document,
    awaited,
    notes,
    laterNotes,
    balance,
    buyerId: confirmedAt === null ? null : (content?.memberId ?? document.customerId),
    statuses,
    statusSet,
    fulfillmentStatus,
    deliveryStatus,
    customerName,
    customerKey,
    searchText,
    totalInStoreCurrency,
    risk: before?.payments === payments ? before.risk : riskiestOf(payments),
    receivable: isOpen ? 'open' : 'none',
    // What is left of the invoice's own currency may be less than a unit of a coarser one.
    outstandingInStoreCurrency: isOpen ? Math.max(0, totalInStoreCurrency - document.keptInStoreCurrency) : 0,
  };
};

type Fold = (
  document: OrderDocument | null,
  event: Recorded<InvoiceEvent>,
  key: string,
) => OrderDocument | null | typeof remove;

const onlyNoted: Readonly<Record<string, Fold>> = Object.fromEntries(
  notedEvents.map((type) => [type, (document: OrderDocument | null) => document && { ...document }]),
);

/** The notes of an order that has seen much stand apart. */
const addedBy = (before: OrderDocument, after: OrderFacts, event: Recorded<InvoiceEvent>): Added => {
  const { notes, laterNotes } = after;
  const awaited = awaitedAfter(after.awaited, event);
  const note = noteOf(event, before);
  if (!note) return { awaited, notes, laterNotes };
  const part = notesPartOf(event);
  return part === 0
    ? { awaited, notes: [...notes, note], laterNotes }
    : { awaited, notes, laterNotes: { ...laterNotes, [part]: (laterNotes[part] ?? 0) + 1 } };
};

/**
 * Every function of a fold, followed by its note and by `derived` where it has changed something; what people only read
 * of is a change, too. And what customers' streams say.
 */
export const folded = (fold: OrderFold): Projection<OrderDocument, InvoiceEvent | TermsEvent>['on'] => ({
  ...onTerms,
  ...Object.fromEntries(
    Object.entries<Fold>({ ...onlyNoted, ...(fold as Readonly<Record<string, Fold>>) }).map(
      ([type, apply]) => [
        type,
        (document: OrderDocument | null, event: Recorded<InvoiceEvent>, key: string) => {
          const after = apply(document, event, key);
          if (after === null || after === remove || after === document) return after;
          return derived(after, document ? addedBy(document, after, event) : after, document);
        },
      ],
    ),
  ),
});
