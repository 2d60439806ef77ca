import { noticesOf, type Notified } from '#command/engine/hooks.ts';
import { isKnown, type InvoiceState } from './invoice.state.ts';
import type { ShipmentCommand } from './shipment.commands.ts';
import { leftToShip, orderOf } from './shipments.state.ts';

const orderOfShipment = (state: InvoiceState, shipmentId: string): string | null =>
  isKnown(state)
    ? (state.shipments.find((shipment) => shipment.shipmentId === shipmentId)?.orderId ?? null)
    : null;

/** The units that a shipment takes from the shelf. */
const allocating = (
  state: InvoiceState,
  orderId: string,
  lines: readonly { readonly lineId: string; readonly quantity: number }[] | null,
): Notified[] => {
  const order = isKnown(state) ? orderOf(state, orderId) : undefined;
  if (!order || !isKnown(state)) return [];
  return (lines ?? leftToShip(state, orderId)).flatMap(({ lineId, quantity }): Notified[] => {
    const line = order.lines.find(({ id }) => id === lineId);
    if (!line) return [];
    const { productId, sku } = line;
    const { warehouseId } = order;
    return [['InventoryAllocatingNotification', { orderId, productId, warehouseId, sku, quantity }]];
  });
};

/** What hooks are asked before shipments and orders move (docs/hooks.md#notifications). */
export const shipmentNotices = noticesOf<InvoiceState, ShipmentCommand>('invoice', {
  CreateShipment: ({ orderId, shipmentId, lines }, state, invoiceId) => [
    ['ShipmentCreatingNotification', { invoiceId, orderId, shipmentId, lines }],
    ...allocating(state, orderId, lines),
  ],
  ChangeShipment: ({ type: _, ...change }, state, invoiceId) => [
    'ShipmentSavingNotification',
    { invoiceId, orderId: orderOfShipment(state, change.shipmentId), ...change },
  ],
  SetShipmentStatus: ({ shipmentId, newStatus }, state, invoiceId) => [
    'ShipmentStatusChangingNotification',
    { invoiceId, orderId: orderOfShipment(state, shipmentId), shipmentId, newStatus },
  ],
  MoveOrder: ({ orderId, status: to, reason = null }, state, invoiceId) => {
    const from = isKnown(state) ? (state.orderStatuses[orderId] ?? null) : null;
    return ['OrderStatusChangingNotification', { invoiceId, orderId, from, to, reason }];
  },
});
