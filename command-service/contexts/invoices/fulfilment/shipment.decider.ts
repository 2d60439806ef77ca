import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import { canMoveShipment } from '#values/shipment-transitions.ts';
import { createShipment } from './create-shipment.ts';
import {
  initialInvoice,
  invoiceSubject,
  isKnown,
  onInvoiceEvents,
  type InvoiceState,
} from '../invoice.state.ts';
import { moveOneOrder } from '../order-desk/order-moves.state.ts';
import { moveOrder } from '../order-desk/move-order.ts';
import type {
  ChangeShipment,
  DeleteShipment,
  SetShipmentStatus,
  ShipmentCommand,
} from './shipment.commands.ts';
import {
  inOrder,
  known,
  notPossible,
  recomputed,
  recomputedAfterUndoing,
  shipmentOf,
  statusChanged,
  statusOf,
  trackingAfter,
  type ShipmentContext,
} from './shipment-rules.ts';
import { standingShipments } from './shipments.state.ts';

const { ShipmentChanged, ShipmentDeleted, StockFollowed } = invoiceEvents.create;

const change = (
  state: InvoiceState,
  command: ChangeShipment,
  { now, today }: ShipmentContext,
): InvoiceEvent[] => {
  const invoice = known(state);
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
  state: InvoiceState,
  command: SetShipmentStatus,
  context: ShipmentContext,
): InvoiceEvent[] => {
  const invoice = known(state);
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
  state: InvoiceState,
  command: DeleteShipment,
  { now, today }: ShipmentContext,
): InvoiceEvent[] => {
  const invoice = known(state);
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

const noteFollowed = (state: InvoiceState, moveIds: readonly string[]): InvoiceEvent[] => {
  if (!isKnown(state)) return [];
  const followed = state.stockMoves.filter(({ moveId }) => moveIds.includes(moveId));
  const isLast = followed.length === state.stockMoves.length;
  return followed.length === 0
    ? []
    : [StockFollowed({ moveIds: followed.map(({ moveId }) => moveId), isLast })];
};

/** Shipments of an invoice's orders, and where those stand (docs/rules/shipments.md). */
export const shipmentDecider: Decider<InvoiceState, ShipmentCommand, InvoiceEvent, ShipmentContext> = {
  category: 'invoice',
  initial: initialInvoice,
  decide: (state, command, context) => {
    switch (command.type) {
      case 'CreateShipment':
        return createShipment(state, command, context);
      case 'ChangeShipment':
        return change(state, command, context);
      case 'SetShipmentStatus':
        return setStatus(state, command, context);
      case 'DeleteShipment':
        return remove(state, command, context);
      case 'MoveOrder':
        return moveOrder(state, command, context);
      case 'NoteFollowedStock':
        return noteFollowed(state, command.moveIds);
    }
  },
  on: onInvoiceEvents,
  remembersCommands: true,
  subject: invoiceSubject,
};
