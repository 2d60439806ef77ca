import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent, OrderContent, OrderStatus } from '#events/invoice.fields.ts';
import type { ShipmentLine } from '#events/shipment.shapes.ts';
import {
  isShippable,
  linesOf,
  standingOf,
  statusByShipments,
  unitsOf,
  withChanged,
  withCreated,
  withStatusChanged,
  type Shipment,
} from '#events/shipment-view.ts';
import type { EventOfType } from '#kernel/event.ts';
import { canMove } from '#values/order-transitions.ts';

/** What the stock of an order's warehouse has still to follow, by a key of its own. */
export interface StockMove {
  readonly moveId: string;
  readonly kind: 'allocate' | 'return' | 'release';
  readonly orderId: string;
  /** Null where an order gives up what it never sent. */
  readonly shipmentId: string | null;
  readonly lines: readonly ShipmentLine[];
  /** Of a return: the units are to be sent all the same, and are reserved again. */
  readonly isOwed: boolean;
}

/** What an invoice knows of its shipments. */
export interface Shipping {
  readonly shipments: readonly Shipment[];
  /** In the order in which the stock has to follow them. */
  readonly stockMoves: readonly StockMove[];
  /** The last ones that were deleted: who asks for one again makes no second one. */
  readonly deletedShipmentIds: readonly string[];
  /** By order that is completed, the business day of that. */
  readonly completedDays: Readonly<Record<string, string>>;
}

export const nothingShipped: Shipping = {
  shipments: [],
  stockMoves: [],
  deletedShipmentIds: [],
  completedDays: {},
};

/** As much of an invoice as its shipments depend on. */
interface Shippable extends Shipping {
  readonly status: 'open' | 'superseded' | 'cancelled' | 'deleted';
  readonly content: InvoiceContent;
  readonly orderStatuses: Readonly<Record<string, OrderStatus>>;
}

type Told<Type extends InvoiceEvent['type']> = EventOfType<InvoiceEvent, Type>;

const REMEMBERED = 50;

export const orderOf = ({ content }: Shippable, orderId: string): OrderContent | undefined =>
  content.orders.find((order) => order.orderId === orderId);

/** Shipments of an order that count: a cancelled one counts for nothing. */
export const standingShipments = ({ shipments }: Shippable, orderId: string): readonly Shipment[] =>
  standingOf(shipments, orderId);

/** What of an order is in no shipment that counts: every shippable line of which something is left. */
export const leftToShip = (invoice: Shippable, orderId: string): readonly ShipmentLine[] => {
  const taken = unitsOf(linesOf(standingShipments(invoice, orderId)));
  return (orderOf(invoice, orderId)?.lines ?? [])
    .filter(isShippable)
    .map(({ id, quantity }) => ({ lineId: id, quantity: quantity - (taken.get(id) ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
};

const byShipments = (invoice: Shippable, orderId: string): OrderStatus | null => {
  const order = orderOf(invoice, orderId);
  return order ? statusByShipments(order, invoice.shipments) : null;
};

/** Where an order goes once one of its shipments has moved: only where it may go from where it is. */
export const statusAfterShipments = (invoice: Shippable, orderId: string): OrderStatus => {
  const from = invoice.orderStatuses[orderId] ?? 'Pending';
  const to = byShipments(invoice, orderId) ?? from;
  return canMove(from, to) ? to : from;
};

/** Where an order goes once a shipment of it is undone, wherever it was: only Cancelled and on hold stay. */
export const statusAfterUndoing = (
  invoice: Shippable,
  orderId: string,
  whenNothingIsPacked: OrderStatus,
): OrderStatus => {
  const from = invoice.orderStatuses[orderId] ?? 'Pending';
  if (from === 'Cancelled' || from === 'OnHold') return from;
  return byShipments(invoice, orderId) ?? whenNothingIsPacked;
};

const withMove = <Invoice extends Shipping>(invoice: Invoice, move: StockMove): Invoice => ({
  ...invoice,
  stockMoves: [...invoice.stockMoves, move],
});

const returned = <Invoice extends Shippable>(invoice: Invoice, shipmentId: string): Invoice => {
  const shipment = invoice.shipments.find((one) => one.shipmentId === shipmentId);
  if (!shipment) return invoice;
  const { orderId, lines } = shipment;
  const isOwed = invoice.status === 'open' && invoice.orderStatuses[orderId] !== 'Cancelled';
  const move = {
    moveId: `return ${shipmentId}`,
    kind: 'return',
    orderId,
    shipmentId,
    lines,
    isOwed,
  } as const;
  return withMove(invoice, move);
};

const withShipment = <Invoice extends Shippable>(
  invoice: Invoice,
  { data }: Told<'ShipmentCreated'>,
): Invoice => {
  const { shipmentId, orderId, lines } = data;
  return withMove(
    { ...invoice, shipments: withCreated(invoice.shipments, data) },
    { moveId: `allocate ${shipmentId}`, kind: 'allocate', orderId, shipmentId, lines, isOwed: false },
  );
};

const withShipmentStatus = <Invoice extends Shippable>(
  invoice: Invoice,
  { data }: Told<'ShipmentStatusChanged'>,
): Invoice => {
  const after = { ...invoice, shipments: withStatusChanged(invoice.shipments, data) };
  return data.to === 'Cancelled' ? returned(after, data.shipmentId) : after;
};

const withoutShipment = <Invoice extends Shippable>(
  invoice: Invoice,
  { data: { shipmentId, wasCancelled } }: Told<'ShipmentDeleted'>,
): Invoice => {
  const after = wasCancelled ? invoice : returned(invoice, shipmentId);
  return {
    ...after,
    shipments: after.shipments.filter((one) => one.shipmentId !== shipmentId),
    deletedShipmentIds: [...after.deletedShipmentIds, shipmentId].slice(-REMEMBERED),
  };
};

const withStockFollowed = <Invoice extends Shipping>(
  invoice: Invoice,
  { data: { moveIds } }: Told<'StockFollowed'>,
): Invoice => ({
  ...invoice,
  stockMoves: invoice.stockMoves.filter(({ moveId }) => !moveIds.includes(moveId)),
});

/** An order that is cancelled apart from its invoice gives up what it has not sent. */
const withOrderMoved = <Invoice extends Shippable>(
  invoice: Invoice,
  { data: { orderId, to, changedDay, isAlone } }: Told<'OrderStatusChanged'>,
): Invoice => {
  const { [orderId]: _, ...others } = invoice.completedDays;
  const isCompleted = to === 'Completed' && changedDay !== undefined;
  const after: Invoice = {
    ...invoice,
    orderStatuses: { ...invoice.orderStatuses, [orderId]: to },
    completedDays: isCompleted ? { ...others, [orderId]: changedDay } : others,
  };
  if (!isAlone) return after;
  const lines = leftToShip(invoice, orderId);
  const move = { moveId: `release ${orderId}`, kind: 'release', orderId, shipmentId: null, lines } as const;
  return withMove(after, { ...move, isOwed: false });
};

/** What the events of shipments, and moves of orders, make of their invoice. */
export const onShipmentEvents = {
  OrderStatusChanged: withOrderMoved,
  ShipmentCreated: withShipment,
  ShipmentChanged: <Invoice extends Shippable>(
    invoice: Invoice,
    { data }: Told<'ShipmentChanged'>,
  ): Invoice => ({
    ...invoice,
    shipments: withChanged(invoice.shipments, data),
  }),
  ShipmentStatusChanged: withShipmentStatus,
  ShipmentDeleted: withoutShipment,
  StockFollowed: withStockFollowed,
};
