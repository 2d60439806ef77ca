import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { notFound } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import { canMoveShipment } from '#values/shipment-transitions.ts';
import { createShipment } from './create-shipment.ts';
import type { InvoiceContext } from '../invoice.context.ts';
import { ifKnown, ofVisible, type InvoiceRules } from '../invoice-rules.ts';
import type { KnownInvoice } from '../invoice.state.ts';
import { moveOneOrder } from '../order-desk/order-moves.state.ts';
import { moveOrder } from '../order-desk/move-order.ts';
import type {
  ChangeShipment,
  DeleteShipment,
  NoteFollowedStock,
  SetShipmentStatus,
  ShipmentCommand,
} from './shipment.commands.ts';
import {
  inOrder,
  notPossible,
  recomputed,
  recomputedAfterUndoing,
  shipmentOf,
  statusChanged,
  statusOf,
  trackingAfter,
} from './shipment-rules.ts';
import { standingShipments } from './shipments.state.ts';

const { ShipmentChanged, ShipmentDeleted, StockFollowed } = invoiceEvents.create;

const change = (
  invoice: KnownInvoice,
  command: ChangeShipment,
  { now, today }: InvoiceContext,
): InvoiceEvent[] => {
  const { shipmentId } = command;
  const shipment = shipmentOf(invoice, shipmentId);
  const { orderId, status, createdAt } = shipment;
  const tracking = trackingAfter(shipment, command);
  const actualDeliveryDate = command.actualDeliveryDate ?? shipment.actualDeliveryDate;
  const isAsItWas =
    tracking.carrier === shipment.carrier &&
    tracking.trackingNumber === shipment.trackingNumber &&
    tracking.trackingUrl === shipment.trackingUrl &&
    actualDeliveryDate === shipment.actualDeliveryDate;
  if (isAsItWas) return [];
  const changed = { shipmentId, orderId, ...tracking, actualDeliveryDate, status, createdAt, changedAt: now };
  return inOrder(
    invoice,
    () => [ShipmentChanged(changed)],
    (after) => {
      const from = statusOf(after, orderId);
      const isDelivered = standingShipments(after, orderId).every((one) => one.actualDeliveryDate !== null);
      const to = from === 'Shipped' && isDelivered ? 'Completed' : from;
      return moveOneOrder(after, orderId, from === 'Completed' && !isDelivered ? 'Shipped' : to, {
        day: today,
      });
    },
  );
};

const setStatus = (
  invoice: KnownInvoice,
  command: SetShipmentStatus,
  context: InvoiceContext,
): InvoiceEvent[] => {
  const { shipmentId, newStatus: to } = command;
  const shipment = shipmentOf(invoice, shipmentId);
  const { orderId, status: from } = shipment;
  if (from === to) return [];
  if (!canMoveShipment(from, to)) throw notPossible('The shipment', from, to);
  const { today } = context;
  return inOrder(
    invoice,
    () => [statusChanged(shipment, to, context, command)],
    to === 'Cancelled' ? recomputedAfterUndoing(orderId, today) : recomputed(orderId, today, command),
  );
};

const remove = (
  invoice: KnownInvoice,
  command: DeleteShipment,
  { now, today }: InvoiceContext,
): InvoiceEvent[] => {
  const { shipmentId, by } = command;
  if (invoice.deletedShipmentIds.includes(shipmentId)) return [];
  const { orderId, status } = shipmentOf(invoice, shipmentId);
  if (status === 'Delivered') {
    throw new Rejection('status-not-possible', 'A shipment that is delivered cannot be deleted.', {
      from: status,
    });
  }
  const wasCancelled = status === 'Cancelled';
  return inOrder(
    invoice,
    () => [ShipmentDeleted({ shipmentId, orderId, wasCancelled, by, deletedAt: now })],
    wasCancelled ? () => [] : recomputedAfterUndoing(orderId, today),
  );
};

const noteFollowed = ({ stockMoves }: KnownInvoice, { moveIds }: NoteFollowedStock): InvoiceEvent[] => {
  const followed = stockMoves.filter(({ moveId }) => moveIds.includes(moveId));
  const isLast = followed.length === stockMoves.length;
  return followed.length === 0
    ? []
    : [StockFollowed({ moveIds: followed.map(({ moveId }) => moveId), isLast })];
};

const ofOrder = <Cmd>(rule: Parameters<typeof ofVisible<Cmd>>[0]) => ofVisible(rule, () => notFound('order'));

/** Shipments of an invoice's orders, and where those stand (docs/rules/shipments.md). */
export const shipmentRules: InvoiceRules<ShipmentCommand> = {
  CreateShipment: ofOrder(createShipment),
  ChangeShipment: ofOrder(change),
  SetShipmentStatus: ofOrder(setStatus),
  DeleteShipment: ofOrder(remove),
  MoveOrder: ofOrder(moveOrder),
  NoteFollowedStock: ifKnown(noteFollowed),
};
