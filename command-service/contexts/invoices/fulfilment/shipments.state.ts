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
import { canMove } from '#values/order-transitions.ts';
import type { InvoiceEventOf, Part } from '../invoice-part.state.ts';

/** A change that the warehouse's stock still has to follow, under its own key. */
export interface StockMove {
  readonly moveId: string;
  readonly kind: 'allocate' | 'return' | 'release';
  readonly orderId: string;
  /** Null if an order releases what it never sent. */
  readonly shipmentId: string | null;
  readonly lines: readonly ShipmentLine[];
  /** For a return: the units are still owed to the buyer and are reserved again. */
  readonly isOwed: boolean;
}

export interface Shipping {
  readonly shipments: readonly Shipment[];
  /** In the order in which stock has to follow them. */
  readonly stockMoves: readonly StockMove[];
  /** The latest deleted ones, so that a repeated creation makes no second one. */
  readonly deletedShipmentIds: readonly string[];
  /** The business day of completion, by completed order. */
  readonly completedDays: Readonly<Record<string, string>>;
}

export const nothingShipped: Shipping = {
  shipments: [],
  stockMoves: [],
  deletedShipmentIds: [],
  completedDays: {},
};

interface Shippable extends Shipping {
  readonly status: 'open' | 'superseded' | 'cancelled' | 'deleted';
  readonly content: InvoiceContent;
  readonly orderStatuses: Readonly<Record<string, OrderStatus>>;
}

const REMEMBERED = 50;

export const orderOf = ({ content }: Shippable, orderId: string): OrderContent | undefined =>
  content.orders.find((order) => order.orderId === orderId);

/** An order's shipments that are not cancelled. */
export const standingShipments = ({ shipments }: Shippable, orderId: string): readonly Shipment[] =>
  standingOf(shipments, orderId);

/** The units of each shippable line that no standing shipment has. */
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

/** The status after one of the order's shipments has moved, if the order may take it. */
export const statusAfterShipments = (invoice: Shippable, orderId: string): OrderStatus => {
  const from = invoice.orderStatuses[orderId] ?? 'Pending';
  const to = byShipments(invoice, orderId) ?? from;
  return canMove(from, to) ? to : from;
};

/** The status after a shipment is undone, from any status but Cancelled and OnHold. */
export const statusAfterUndoing = (
  invoice: Shippable,
  orderId: string,
  whenNothingIsPacked: OrderStatus,
): OrderStatus => {
  const from = invoice.orderStatuses[orderId] ?? 'Pending';
  if (from === 'Cancelled' || from === 'OnHold') return from;
  return byShipments(invoice, orderId) ?? whenNothingIsPacked;
};

const returned = (invoice: Shippable, shipmentId: string): Partial<Shipping> => {
  const { shipments, status, orderStatuses, stockMoves } = invoice;
  const shipment = shipments.find((one) => one.shipmentId === shipmentId);
  if (!shipment) return {};
  const { orderId, lines } = shipment;
  const isOwed = status === 'open' && orderStatuses[orderId] !== 'Cancelled';
  const moveId = `return ${shipmentId}`;
  return { stockMoves: [...stockMoves, { moveId, kind: 'return', orderId, shipmentId, lines, isOwed }] };
};

/** An order that is cancelled on its own releases what it has not sent. */
const orderMoved = (
  invoice: Shippable,
  { data: { orderId, to, changedDay, isAlone } }: InvoiceEventOf<'OrderStatusChanged'>,
): Partial<Shippable> => {
  const { orderStatuses, completedDays, stockMoves } = invoice;
  const { [orderId]: _, ...others } = completedDays;
  const isCompleted = to === 'Completed' && changedDay !== undefined;
  const moved = {
    orderStatuses: { ...orderStatuses, [orderId]: to },
    completedDays: isCompleted ? { ...others, [orderId]: changedDay } : others,
  };
  if (!isAlone) return moved;
  const lines = leftToShip(invoice, orderId);
  const move = { moveId: `release ${orderId}`, kind: 'release', orderId, shipmentId: null, lines } as const;
  return { ...moved, stockMoves: [...stockMoves, { ...move, isOwed: false }] };
};

export const onShipmentEvents = {
  OrderStatusChanged: orderMoved,
  ShipmentCreated: ({ shipments, stockMoves }, { data }) => {
    const { shipmentId, orderId, lines } = data;
    const move = { moveId: `allocate ${shipmentId}`, orderId, shipmentId, lines, isOwed: false };
    return {
      shipments: withCreated(shipments, data),
      stockMoves: [...stockMoves, { ...move, kind: 'allocate' }],
    };
  },
  ShipmentChanged: ({ shipments }, { data }) => ({ shipments: withChanged(shipments, data) }),
  ShipmentStatusChanged: (invoice, { data }) => ({
    shipments: withStatusChanged(invoice.shipments, data),
    ...(data.to === 'Cancelled' ? returned(invoice, data.shipmentId) : {}),
  }),
  ShipmentDeleted: (invoice, { data: { shipmentId, wasCancelled } }) => ({
    shipments: invoice.shipments.filter((one) => one.shipmentId !== shipmentId),
    deletedShipmentIds: [...invoice.deletedShipmentIds, shipmentId].slice(-REMEMBERED),
    ...(wasCancelled ? {} : returned(invoice, shipmentId)),
  }),
  StockFollowed: ({ stockMoves }, { data: { moveIds } }) => ({
    stockMoves: stockMoves.filter(({ moveId }) => !moveIds.includes(moveId)),
  }),
} satisfies Part<Shippable>;
