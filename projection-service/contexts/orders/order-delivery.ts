import type { OrderContent, OrderStatus } from '#events/invoice.fields.ts';
import type { Shipment } from '#events/shipment-view.ts';
import type { DeliveryStatus } from './order.document.ts';

type OrderShipment = Pick<Shipment, 'orderId' | 'lines' | 'status'>;

const unitsOf = (lines: readonly { readonly quantity: number }[]): number =>
  lines.reduce((sum, { quantity }) => sum + quantity, 0);

/**
 * How far the goods of an invoice have come; null when nothing ships (docs/rules/orders.md#list). Orders and shipments
 * that are cancelled do not count.
 */
export const deliveryStatusOf = (
  orders: readonly Pick<OrderContent, 'orderId' | 'lines'>[],
  orderStatuses: Readonly<Record<string, OrderStatus>>,
  shipments: readonly OrderShipment[],
): DeliveryStatus | null => {
  const standing = orders.filter(({ orderId }) => orderStatuses[orderId] !== 'Cancelled');
  const owed = unitsOf(standing.flatMap(({ lines }) => lines.filter(({ isDigital }) => !isDigital)));
  if (owed === 0) return null;
  const unitsIn = (...statuses: readonly OrderShipment['status'][]): number =>
    unitsOf(
      shipments
        .filter(({ orderId, status }) => orderStatuses[orderId] !== 'Cancelled' && statuses.includes(status))
        .flatMap(({ lines }) => lines),
    );
  const delivered = unitsIn('Delivered');
  const sent = delivered + unitsIn('Shipped');
  if (delivered >= owed) return 'Delivered';
  if (sent >= owed) return 'Shipped';
  if (sent > 0) return 'PartiallyShipped';
  return unitsIn('Preparing') > 0 ? 'Preparing' : 'NotShipped';
};
