import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { canMove } from '#values/order-transitions.ts';
import type { ShipmentStatus } from '#values/shipment-transitions.ts';
import { withdrawnLinks } from '../downloads/due-links.state.ts';
import { cancelInvoice, refuseWhileOwed } from '../close-invoice.ts';
import { perhapsTaken, statusNoted } from '../fulfilment/fulfilments.state.ts';
import type { Moment } from '../invoice.context.ts';
import type { KnownInvoice } from '../invoice.state.ts';
import { moveOneOrder } from './order-moves.state.ts';
import { isHeldByProvider, isProvidersToLetGo } from '../holds.state.ts';
import { isHeldForOffer } from '../post-purchase/post-purchase.state.ts';
import type { MoveOrder, Tracking } from '../fulfilment/shipment.commands.ts';
import {
  inOrder,
  noTracking,
  notPossible,
  refuseClosed,
  refuseUnsold,
  statusChanged,
  statusOf,
  trackingAfter,
  unpacked,
  type Decide,
} from '../fulfilment/shipment-rules.ts';
import { leftToShip, orderOf, standingShipments } from '../fulfilment/shipments.state.ts';

const { OrderHoldTakenOver, ShipmentCreated } = invoiceEvents.create;

/** Packs everything left of an order in one shipment; nothing of a cancelled one. */
const packed =
  (command: MoveOrder, now: string): Decide =>
  (invoice) => {
    const { orderId, by } = command;
    const lines = [...leftToShip(invoice, orderId)];
    if (lines.length === 0) return [];
    refuseClosed(invoice, orderId);
    const { shipments, deletedShipmentIds } = invoice;
    // Every created or deleted shipment changes one of these two.
    const shipmentId = derivedId('rest-of-order', orderId, shipments.length, deletedShipmentIds.at(-1) ?? '');
    const warehouseId = orderOf(invoice, orderId)?.warehouseId ?? null;
    const tracking = trackingAfter(noTracking, command);
    const packing = { shipmentId, orderId, warehouseId, lines, ...tracking, providerShipmentId: null, by };
    return [ShipmentCreated({ ...packing, createdAt: now })];
  };

/** Moves every shipment of the order that is at `from`. */
const sent =
  (orderId: string, from: ShipmentStatus, to: ShipmentStatus, context: Moment, tracking: Tracking): Decide =>
  (invoice) =>
    standingShipments(invoice, orderId)
      .filter(({ status }) => status === from)
      .map((shipment) => statusChanged(shipment, to, context, tracking));

/** Cancelling the last open order cancels the invoice. */
const cancelOrder = (invoice: KnownInvoice, command: MoveOrder, context: Moment): InvoiceEvent[] => {
  const { orderId, reason = 'Cancelled by hand', said, by } = command;
  const { now, today } = context;
  const others = Object.entries(invoice.orderStatuses).filter(([id]) => id !== orderId);
  if (invoice.status === 'open' && others.every(([, status]) => status === 'Cancelled')) {
    if (!said) return cancelInvoice(invoice, { type: 'CancelInvoice', reason, by }, { now, today });
    // Its own words may name the customer: they stand only where they are erased with the customer.
    const why = 'Cancelled by the fulfilment provider';
    return cancelInvoice(invoice, { type: 'CancelInvoice', reason: why, by }, { now, today }, reason);
  }
  refuseWhileOwed(invoice);
  return inOrder(
    invoice,
    (before) => moveOneOrder(before, orderId, 'Cancelled', { day: today, reason, isAlone: true }),
    (after) => perhapsTaken(after, [orderId], now),
    unpacked(orderId, context),
    (before) => withdrawnLinks(before, orderId, now),
  );
};

/** Staff take over the hold of an offer or a provider (docs/rules/post-purchase.md#window). */
const takenOver = (
  invoice: KnownInvoice,
  { orderId, status, by, said }: MoveOrder,
  { now: takenOverAt }: Moment,
): InvoiceEvent[] => {
  const isOthers = isHeldForOffer(invoice, orderId) || (!said && isHeldByProvider(invoice, orderId));
  return status === 'OnHold' && isOthers ? [OrderHoldTakenOver({ orderId, by, takenOverAt })] : [];
};

/** A provider may end only its own hold (docs/rules/fulfilment.md#holds); what has been sent is not held. */
const refuseHeld = (invoice: KnownInvoice, { orderId, status: to, said }: MoveOrder): void => {
  const isHeld = statusOf(invoice, orderId) === 'OnHold' && !isProvidersToLetGo(invoice, orderId);
  if (!said || !isHeld || to !== 'Processing') return;
  throw new Rejection('status-not-possible', 'The order is on hold until staff let it go.', {
    from: 'OnHold',
    to,
  });
};

const moving = (invoice: KnownInvoice, command: MoveOrder, context: Moment): InvoiceEvent[] => {
  const { orderId, status: to, reason, said } = command;
  const from = statusOf(invoice, orderId);
  if (from === to) return takenOver(invoice, command, context);
  // A provider that works on the rest does not take back what it has sent.
  if (said && from === 'PartiallyShipped' && to === 'Processing') return [];
  if (!canMove(from, to)) throw notPossible('The order', from, to);
  refuseHeld(invoice, command);
  if (to === 'Cancelled') return cancelOrder(invoice, command, context);
  const { now, today } = context;
  const hold = said && to === 'OnHold' ? { isHeldByProvider: true as const } : {};
  const moved: Decide = (after) => moveOneOrder(after, orderId, to, { day: today, reason, ...hold });
  if (to !== 'Shipped' && to !== 'Completed') return inOrder(invoice, moved);
  refuseUnsold(invoice);
  const { carrier, trackingNumber, trackingUrl } = command;
  const tracking = { carrier, trackingNumber, trackingUrl };
  return inOrder(
    invoice,
    packed(command, now),
    sent(orderId, 'Preparing', 'Shipped', context, tracking),
    to === 'Completed' ? sent(orderId, 'Shipped', 'Delivered', context, {}) : () => [],
    moved,
  );
};

/** Moves an order for staff or a provider (docs/rules/shipments.md#moving-an-order). */
export const moveOrder = (invoice: KnownInvoice, command: MoveOrder, context: Moment): InvoiceEvent[] => {
  const { said, orderId } = command;
  const noted = said ? statusNoted(invoice, orderId, said, context.now) : [];
  return [...noted, ...moving(invoice, command, context)];
};
