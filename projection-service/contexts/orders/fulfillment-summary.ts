import type { FulfillmentSummary } from '#contracts/shipments.contract.ts';
import { shipmentResponse } from '#contracts/shipment-response.ts';
import type { ShipmentResponse } from '#contracts/shipment-fields.ts';
import type { OrderContent, OrderStatus } from '#events/invoice.fields.ts';
import { isShippable, linesOf, standingOf, unitsOf } from '#events/shipment-view.ts';
import type { OrderDocument } from './order.document.ts';

/** In these nothing is left to be sent. */
const isOver: ReadonlySet<OrderStatus> = new Set(['Shipped', 'Completed', 'Cancelled']);

const isLeft = ({ shipments, orderStatuses }: OrderDocument, { orderId, lines }: OrderContent): boolean => {
  if (isOver.has(orderStatuses[orderId] ?? 'Pending')) return false;
  const packed = unitsOf(linesOf(standingOf(shipments, orderId)));
  return lines.some((line) => isShippable(line) && line.quantity > (packed.get(line.id) ?? 0));
};

/** Whether a shipment of it can be made: it is a sale that stands, and something is left to be packed. */
export const canFulfill = (document: OrderDocument): boolean =>
  document.cancellation === null &&
  document.confirmedAt !== null &&
  (document.content?.orders ?? []).some((order) => isLeft(document, order));

/** The shipments of one of its orders, cancelled ones too. */
export const shipmentsOf = (
  { shipments, shippingAddress }: OrderDocument,
  order: OrderContent,
): readonly ShipmentResponse[] =>
  shipments
    .filter(({ orderId }) => orderId === order.orderId)
    .map((shipment) => shipmentResponse(shipment, order, shippingAddress));

type OrderSummary = FulfillmentSummary['orders'][number];

const orderSummary = (document: OrderDocument, order: OrderContent): OrderSummary => {
  const { orderId: id, lines, warehouseId, shippingServiceName, requestedDeliveryDate } = order;
  const standing = standingOf(document.shipments, id);
  const packed = unitsOf(linesOf(standing));
  const sent = unitsOf(linesOf(standing.filter(({ status }) => status !== 'Preparing')));
  const status = document.orderStatuses[id] ?? 'Pending';
  const lineItems = lines.map((line) => {
    const packedQuantity = packed.get(line.id) ?? 0;
    const isOwed = isShippable(line) && status !== 'Cancelled' && document.cancellation === null;
    return {
      lineItemId: line.id,
      sku: line.sku,
      name: line.name,
      isDigital: line.isDigital,
      orderedQuantity: line.quantity,
      packedQuantity,
      shippedQuantity: sent.get(line.id) ?? 0,
      remainingQuantity: isOwed ? line.quantity - packedQuantity : 0,
    };
  });
  return {
    id,
    status,
    ...{ warehouseId, shippingServiceName, requestedDeliveryDate },
    remainingQuantity: lineItems.reduce((sum, { remainingQuantity }) => sum + remainingQuantity, 0),
    lineItems,
    shipments: [...shipmentsOf(document, order)],
  };
};

/** What of an invoice is packed, sent and left (docs/rules/shipments.md#delivery-status). */
export const fulfillmentSummary = (document: OrderDocument): FulfillmentSummary => {
  const orders = (document.content?.orders ?? []).map((order) => orderSummary(document, order));
  const lines = orders.flatMap(({ lineItems }) => lineItems).filter(({ isDigital }) => !isDigital);
  const sum = (of: (line: (typeof lines)[number]) => number): number =>
    lines.reduce((total, line) => total + of(line), 0);
  return {
    invoiceId: document._id,
    invoiceNumber: document.invoiceNumber,
    fulfillmentStatus: document.fulfillmentStatus,
    deliveryStatus: document.deliveryStatus,
    canFulfill: canFulfill(document),
    totalQuantity: sum(({ orderedQuantity }) => orderedQuantity),
    packedQuantity: sum(({ packedQuantity }) => packedQuantity),
    shippedQuantity: sum(({ shippedQuantity }) => shippedQuantity),
    remainingQuantity: sum(({ remainingQuantity }) => remainingQuantity),
    orders,
  };
};
