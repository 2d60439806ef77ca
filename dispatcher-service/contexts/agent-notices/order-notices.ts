import type { AgentOrderDocument } from '#agent-orders/agent-order.document.ts';
import type { AgentOrderEvent } from '#events/agent-order.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import { isShippable } from '#events/shipment-view.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import type { OrderNotice } from '#topics/agent-notice.ts';

type TellingEvent = InvoiceEvent | AgentOrderEvent;
type DataOf<Type extends TellingEvent['type']> = EventOfType<TellingEvent, Type>['data'];
type Table = {
  readonly [Type in TellingEvent['type']]?: (
    data: DataOf<Type>,
    order: AgentOrderDocument,
  ) => OrderNotice | null;
};

/** Statuses that follow the shipments of an order, which have notices of their own. */
const isAfterSending: ReadonlySet<OrderStatus> = new Set(['PartiallyShipped', 'Shipped', 'Completed']);

const isSent = ({ content }: AgentOrderDocument, orderId: string): boolean =>
  content.orders.some((order) => order.orderId === orderId && order.lines.some(isShippable));

/** A parcel of it is being packed, which has a notice of its own. */
const isPacked = ({ shipments }: AgentOrderDocument, orderId: string): boolean =>
  shipments.some((shipment) => shipment.orderId === orderId && shipment.status === 'Preparing');

const isCancelled = ({ orderStatuses }: AgentOrderDocument): boolean =>
  Object.values(orderStatuses).every((status) => status === 'Cancelled');

/** Of several orders that are cancelled with their invoice, the last one tells of all. */
const statusNotice = (
  { orderId, to, isAlone, isSilent }: DataOf<'OrderStatusChanged'>,
  order: AgentOrderDocument,
): OrderNotice | null => {
  if (isSilent) return null;
  if (to === 'Cancelled') {
    if (isCancelled(order)) return 'order_canceled';
    return isAlone ? 'order_updated' : null;
  }
  const isTold =
    to === 'Processing' ? isPacked(order, orderId) : isAfterSending.has(to) && isSent(order, orderId);
  return isTold ? null : 'order_updated';
};

const shipmentNotice = ({ to }: DataOf<'ShipmentStatusChanged'>): OrderNotice => {
  if (to === 'Shipped') return 'order_shipped';
  return to === 'Delivered' ? 'order_delivered' : 'order_updated';
};

const updated = (): OrderNotice => 'order_updated';

/** By event: what the agent is told of its order (docs/rules/agent-notices.md#what-is-told). */
const table: Table = {
  SaleConfirmed: () => 'order_placed',
  OrderStatusChanged: statusNotice,
  ShippingAddressChanged: updated,
  ShipmentCreated: updated,
  ShipmentChanged: updated,
  ShipmentStatusChanged: shipmentNotice,
  ShipmentDeleted: updated,
  InvoiceEdited: updated,
  RefundPending: updated,
  PaymentRefunded: () => 'order_refunded',
  RefundDeclined: ({ wasPending }) => (wasPending ? 'order_updated' : null),
  RefundFailed: updated,
  DisputeOpened: updated,
  DisputeResolved: updated,
  AgentOrderAmended: updated,
};

export const tellingEventTypes: ReadonlySet<string> = new Set(Object.keys(table));

type Row = (data: unknown, order: AgentOrderDocument) => OrderNotice | null;

/**
 * What an agent is told of an event, `order` being as the event has left it; null: nothing. Before the sale is
 * confirmed it is told of nothing.
 */
export const noticeOf = ({ type, data }: Recorded, order: AgentOrderDocument): OrderNotice | null => {
  const row = (table as Readonly<Record<string, Row>>)[type];
  return row && order.isConfirmed ? row(data, order) : null;
};
