import { commandHooks, type Notified } from '#command/engine/hooks.ts';
import { isKnown, type InvoiceState } from '../../invoices/invoice.state.ts';
import type { CreateShipment, ShipmentCommand } from '../../invoices/fulfilment/shipment.commands.ts';
import { leftToShip, orderOf } from '../../invoices/fulfilment/shipments.state.ts';

const orderOfShipment = (state: InvoiceState, shipmentId: string): string | null =>
  isKnown(state)
    ? (state.shipments.find((shipment) => shipment.shipmentId === shipmentId)?.orderId ?? null)
    : null;

/** Units that a shipment takes from stock. */
const allocating = (state: InvoiceState, orderId: string, lines: CreateShipment['lines']): Notified[] => {
  const order = isKnown(state) ? orderOf(state, orderId) : undefined;
  if (!order || !isKnown(state)) return [];
  return (lines ?? leftToShip(state, orderId)).flatMap(({ lineId, quantity }): Notified[] => {
    const { productId = null, sku } = order.lines.find(({ id }) => id === lineId) ?? {};
    if (productId === null) return [];
    const { warehouseId } = order;
    return [['InventoryAllocatingNotification', { orderId, productId, warehouseId, sku, quantity }]];
  });
};

const creating = (
  state: InvoiceState,
  invoiceId: string,
  {
    orderId,
    shipmentId,
    lines,
  }: Pick<CreateShipment, 'orderId' | 'lines'> & { readonly shipmentId: string | null },
): Notified[] => [
  ['ShipmentCreatingNotification', { invoiceId, orderId, shipmentId, lines }],
  ...allocating(state, orderId, lines),
];

/** Before-hooks of shipments and order moves (docs/guides/hooks.md#notifications). */
export const shipmentHooks = commandHooks<InvoiceState, ShipmentCommand>('invoice', {
  CreateShipment: (command, state, invoiceId) => creating(state, invoiceId, command),
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
    const lines =
      isKnown(state) && (to === 'Shipped' || to === 'Completed') ? leftToShip(state, orderId) : [];
    return [
      ['OrderStatusChangingNotification', { invoiceId, orderId, from, to, reason }],
      // Everything left is packed first, in a shipment without an id yet.
      ...(lines.length === 0 ? [] : creating(state, invoiceId, { orderId, shipmentId: null, lines })),
    ];
  },
});
