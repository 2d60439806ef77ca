import { commandHooks, type Notified } from '#command/engine/hooks.ts';
import { canMove } from '#values/order-transitions.ts';
import type { InvoiceCommand } from '../invoices/invoice.commands.ts';
import { isKnown, type InvoiceState } from '../invoices/invoice.state.ts';
import { leftToShip } from '../invoices/fulfilment/shipments.state.ts';

const cancelling = (state: InvoiceState, invoiceId: string): Notified[] =>
  isKnown(state) && state.status === 'open'
    ? Object.entries(state.orderStatuses)
        .filter(([, from]) => from !== 'Cancelled' && from !== 'Completed' && canMove(from, 'Cancelled'))
        .map(([orderId, from]) => [
          'OrderStatusChangingNotification',
          { invoiceId, orderId, from, to: 'Cancelled' },
        ])
    : [];

/** Units that return to stock with its orders: those not packed yet. */
const releasing = (state: InvoiceState): Notified[] => {
  if (!isKnown(state) || state.status !== 'open') return [];
  const standing = state.content.orders.filter(({ orderId }) => state.orderStatuses[orderId] !== 'Cancelled');
  return standing.flatMap(({ orderId, warehouseId, lines }) =>
    leftToShip(state, orderId).flatMap(({ lineId, quantity }): Notified[] => {
      const { productId = null, sku } = lines.find(({ id }) => id === lineId) ?? {};
      if (productId === null) return [];
      return [['InventoryReleasingNotification', { orderId, productId, warehouseId, sku, quantity }]];
    }),
  );
};

const named = (state: InvoiceState, invoiceId: string) => ({
  invoiceId,
  invoiceNumber: isKnown(state) ? state.invoiceNumber : null,
});

/** Before-hooks of cancelling and deleting (docs/guides/hooks.md#notifications). */
export const orderHooks = commandHooks<InvoiceState, InvoiceCommand>('invoice', {
  CancelInvoice: ({ reason, by }, state, invoiceId) => [
    ['InvoiceCancellingNotification', { ...named(state, invoiceId), reason, by }],
    ...cancelling(state, invoiceId),
    ...releasing(state),
  ],
  EditInvoice: ({ content, reason, by, changedOrderIds, emptiedOrderIds }, state, invoiceId) => {
    const { amounts, currency } = content;
    return [
      ['InvoiceSavingNotification', { ...named(state, invoiceId), currency, totals: amounts, reason, by }],
      ...changedOrderIds.map((orderId): Notified => ['OrderSavingNotification', { invoiceId, orderId, by }]),
      ...emptiedOrderIds.map((orderId): Notified => [
        'OrderStatusChangingNotification',
        { invoiceId, orderId, from: isKnown(state) ? state.orderStatuses[orderId] : null, to: 'Cancelled' },
      ]),
    ];
  },
  DeleteInvoice: ({ by }, state, invoiceId) => [
    ['InvoiceDeletingNotification', { ...named(state, invoiceId), by }],
    ...releasing(state),
  ],
});
