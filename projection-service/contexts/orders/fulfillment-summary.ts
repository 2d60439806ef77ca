import type { FulfillmentSummary } from '#contracts/shipments.contract.ts';
import { shipmentAnswer } from '#contracts/shipment-answer.ts';
import type { ShipmentAnswer } from '#contracts/shipment-fields.ts';
import type { OrderContent, OrderStatus } from '#events/invoice.fields.ts';
import { isShippable, linesOf, standingOf, unitsOf } from '#events/shipment-view.ts';
import type { OrderDocument } from './order.document.ts';

const waitsForFulfilment: ReadonlySet<OrderStatus> = new Set([
  'ReadyToFulfill',
  'Processing',
  'PartiallyShipped',
]);

/** Something of it is still to be sent. */
export const canFulfill = ({ cancellation, confirmedAt, statuses }: OrderDocument): boolean =>
  cancellation === null && confirmedAt !== null && statuses.some((status) => waitsForFulfilment.has(status));

/** The shipments of one of its orders, cancelled ones too. */
export const shipmentsOf = (
  { shipments, shippingAddress }: OrderDocument,
  order: OrderContent,
): readonly ShipmentAnswer[] =>
  shipments
    .filter(({ orderId }) => orderId === order.orderId)
    .map((shipment) => shipmentAnswer(shipment, order, shippingAddress));

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
