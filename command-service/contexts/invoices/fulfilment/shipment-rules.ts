import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import { notFound } from '#kernel/entity.ts';
import { evolve } from '#kernel/evolution.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Shipment } from '#events/shipment-view.ts';
import type { ShipmentStatus } from '#values/shipment-transitions.ts';
import type { Moment } from '../invoice.context.ts';
import { isAuthorized, onInvoiceEvents, type InvoiceState, type KnownInvoice } from '../invoice.state.ts';
import { isProvidersToLetGo } from '../holds.state.ts';
import { moveOneOrder } from '../order-desk/order-moves.state.ts';
import type { SetShipmentStatus, Tracking } from './shipment.commands.ts';
import { standingShipments, statusAfterShipments, statusAfterUndoing } from './shipments.state.ts';

const { ShipmentStatusChanged } = invoiceEvents.create;

/** One step of a decision. */
export type Decide = (invoice: KnownInvoice) => readonly InvoiceEvent[];

/** Makes decisions in order, each on the invoice that the previous one left. */
export const inOrder = (invoice: KnownInvoice, ...decisions: readonly Decide[]): InvoiceEvent[] => {
  const events: InvoiceEvent[] = [];
  let state = invoice;
  for (const decide of decisions) {
    for (const event of decide(state)) {
      events.push(event);
      state = evolve(onInvoiceEvents, state as InvoiceState, event) as KnownInvoice;
    }
  }
  return events;
};

export const statusOf = ({ orderStatuses }: KnownInvoice, orderId: string): OrderStatus => {
  const status = orderStatuses[orderId];
  if (status === undefined) throw notFound('order');
  return status;
};

export const shipmentOf = ({ shipments }: KnownInvoice, shipmentId: string): Shipment => {
  const shipment = shipments.find((one) => one.shipmentId === shipmentId);
  if (!shipment) throw notFound('shipment');
  return shipment;
};

export const notPossible = (what: string, from: string, to: string): Rejection =>
  new Rejection('status-not-possible', `${what} cannot go from ${from} to ${to}.`, { from, to });

export const refuseUnsold = ({ isConfirmed }: KnownInvoice): void => {
  if (isConfirmed) return;
  throw new Rejection(
    'sale-not-confirmed',
    'Only a sale that is confirmed can be shipped: paid, or on account.',
  );
};

export const refuseClosed = (invoice: KnownInvoice, orderId: string): void => {
  if (invoice.status === 'open' && statusOf(invoice, orderId) !== 'Cancelled') return;
  throw new Rejection('invoice-cancelled', 'The order is cancelled: nothing of it is shipped any more.');
};

export const trackingAfter = (
  { carrier, trackingNumber, trackingUrl }: Pick<Shipment, 'carrier' | 'trackingNumber' | 'trackingUrl'>,
  given: Tracking,
) => ({
  carrier: given.carrier ?? carrier,
  trackingNumber: given.trackingNumber ?? trackingNumber,
  trackingUrl: given.trackingUrl ?? trackingUrl,
});

export const noTracking = { carrier: null, trackingNumber: null, trackingUrl: null };

export const recomputed =
  (orderId: string, day: string, { isByProvider }: Pick<SetShipmentStatus, 'isByProvider'>): Decide =>
  (invoice) => {
    const to = statusAfterShipments(invoice, orderId);
    const isHeld = statusOf(invoice, orderId) === 'OnHold' && !isProvidersToLetGo(invoice, orderId);
    const isRestHeld = isByProvider && isHeld && (to === 'PartiallyShipped' || to === 'Processing');
    return isRestHeld ? [] : moveOneOrder(invoice, orderId, to, { day });
  };

/** The status of an order with nothing packed or sent (docs/rules/shipments.md#undone). */
const unsentStatus = (invoice: KnownInvoice): OrderStatus => {
  const { status, payments, balance, purchaseOrder, content } = invoice;
  if (status !== 'open') return 'Cancelled';
  const isPaid = (payments.length > 0 && balance.balanceDue === 0) || isAuthorized(invoice);
  return isPaid || purchaseOrder !== null || content.accountTerms ? 'ReadyToFulfill' : 'Pending';
};

export const recomputedAfterUndoing =
  (orderId: string, day: string): Decide =>
  (invoice) =>
    moveOneOrder(invoice, orderId, statusAfterUndoing(invoice, orderId, unsentStatus(invoice)), { day });

export const statusChanged = (
  shipment: Shipment,
  to: ShipmentStatus,
  { now, today }: Moment,
  tracking: Tracking = {},
): InvoiceEvent => {
  const { shipmentId, orderId, status: from, createdAt } = shipment;
  const after = trackingAfter(shipment, tracking);
  return ShipmentStatusChanged({ shipmentId, orderId, from, to, ...after, createdAt, at: now, day: today });
};

/** Cancels an order's shipments in preparation; what has been sent stays sent. */
export const unpacked =
  (orderId: string, context: Moment): Decide =>
  (invoice) =>
    standingShipments(invoice, orderId)
      .filter(({ status }) => status === 'Preparing')
      .map((shipment) => statusChanged(shipment, 'Cancelled', context));

export const unpackedAll = (invoice: KnownInvoice, context: Moment): InvoiceEvent[] =>
  Object.keys(invoice.orderStatuses).flatMap((orderId) => unpacked(orderId, context)(invoice));
