import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { ShipmentLine } from '#events/shipment.shapes.ts';
import { isShippable } from '#events/shipment-view.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Moment } from '../invoice.context.ts';
import { noted } from '../invoice-rules.ts';
import type { KnownInvoice } from '../invoice.state.ts';
import { moveOneOrder } from '../order-desk/order-moves.state.ts';
import type { CreateShipment } from './shipment.commands.ts';
import {
  inOrder,
  noTracking,
  refuseClosed,
  refuseUnsold,
  statusOf,
  trackingAfter,
} from './shipment-rules.ts';
import { leftToShip, orderOf } from './shipments.state.ts';

const { ShipmentCreated } = invoiceEvents.create;

/** Per invoice; cancelled shipments count. */
const MAX_SHIPMENTS = 1000;

const problemsOf = (invoice: KnownInvoice, orderId: string, lines: readonly ShipmentLine[]): string[] => {
  const left = new Map(leftToShip(invoice, orderId).map(({ lineId, quantity }) => [lineId, quantity]));
  const named = new Set<string>();
  return lines.flatMap(({ lineId, quantity }) => {
    const field = `lineItems.${lineId}`;
    const isTwice = named.has(lineId);
    named.add(lineId);
    if (isTwice) return [`${field}: must name each line once`];
    const line = orderOf(invoice, orderId)?.lines.find(({ id }) => id === lineId);
    if (!line) return [`${field}: must be a line of the order`];
    if (!isShippable(line)) return [`${field}: must be a line that is shipped, not a digital one`];
    const most = left.get(lineId) ?? 0;
    return quantity > most ? [`${field}: must be at most ${most}, not ${quantity}`] : [];
  });
};

/** Cuts the lines to what is left to ship. */
const cutToLeft = (
  invoice: KnownInvoice,
  orderId: string,
  lines: readonly ShipmentLine[],
): readonly ShipmentLine[] => {
  const left = new Map(leftToShip(invoice, orderId).map(({ lineId, quantity }) => [lineId, quantity]));
  return lines.flatMap(({ lineId, quantity }) => {
    const sent = Math.min(quantity, left.get(lineId) ?? 0);
    left.set(lineId, (left.get(lineId) ?? 0) - sent);
    return sent > 0 ? [{ lineId, quantity: sent }] : [];
  });
};

const unitsIn = (lines: readonly ShipmentLine[]): number =>
  lines.reduce((sum, { quantity }) => sum + quantity, 0);

const linesToShip = (
  invoice: KnownInvoice,
  { orderId, lines, isCut }: CreateShipment,
): readonly ShipmentLine[] => {
  if (lines === null) return leftToShip(invoice, orderId);
  if (isCut) return cutToLeft(invoice, orderId, lines);
  refuseProblems(problemsOf(invoice, orderId, lines));
  return lines;
};

/** Units that the provider reports as sent beyond what was left. */
const surplusOf = ({ isCut, lines: wanted }: CreateShipment, lines: readonly ShipmentLine[]): number =>
  isCut ? unitsIn(wanted ?? lines) - unitsIn(lines) : 0;

const notedSurplus = (
  invoice: KnownInvoice,
  { shipmentId, by: author }: CreateShipment,
  surplus: number,
  now: string,
): InvoiceEvent[] => {
  if (surplus === 0) return [];
  const text = `A shipment has ${surplus} units more than were left to ship: they are not counted.`;
  return noted(invoice, { noteId: derivedId('shipment-cut', shipmentId), text, author }, now);
};

/** Packs units of an order (docs/rules/shipments.md#creating). */
export const createShipment = (
  invoice: KnownInvoice,
  command: CreateShipment,
  { now, today }: Moment,
): InvoiceEvent[] => {
  const { orderId, shipmentId, providerShipmentId = null, by } = command;
  statusOf(invoice, orderId);
  const isThere = invoice.shipments.some((one) => one.shipmentId === shipmentId);
  if (isThere || invoice.deletedShipmentIds.includes(shipmentId)) return [];
  refuseClosed(invoice, orderId);
  refuseUnsold(invoice);
  const lines = linesToShip(invoice, command);
  const surplus = surplusOf(command, lines);
  const note = notedSurplus(invoice, command, surplus, now);
  if (lines.length === 0 && surplus > 0) return note;
  if (lines.length === 0) refuseProblems(['lineItems: must name something left to ship']);
  if (invoice.shipments.length >= MAX_SHIPMENTS) {
    refuseProblems([`lineItems: must be at most ${MAX_SHIPMENTS} shipments of an invoice`]);
  }
  const warehouseId = orderOf(invoice, orderId)?.warehouseId ?? null;
  const tracking = trackingAfter(noTracking, command);
  const shipment = { shipmentId, orderId, warehouseId, lines: [...lines], ...tracking, providerShipmentId };
  return inOrder(
    invoice,
    () => [ShipmentCreated({ ...shipment, by, createdAt: now }), ...note],
    (after) => {
      const from = statusOf(after, orderId);
      const begins = from === 'Pending' || from === 'ReadyToFulfill';
      return begins ? moveOneOrder(after, orderId, 'Processing', { day: today }) : [];
    },
  );
};
