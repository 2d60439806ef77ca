import { commandHooks, type Notified } from '#command/engine/hooks.ts';
import { isKnown, type InvoiceState } from '../invoices/invoice.state.ts';
import type { OrderDeskCommand } from '../invoices/order-desk/order-desk.commands.ts';

const saving = (state: InvoiceState, invoiceId: string, changes: object): Notified => [
  'InvoiceSavingNotification',
  {
    invoiceId,
    ...(isKnown(state) && { invoiceNumber: state.invoiceNumber, customerId: state.content.customerId }),
    changes,
  },
];

/** Before-hooks of manual orders and corrections by staff (docs/guides/hooks.md#notifications). */
export const orderDeskHooks = commandHooks<InvoiceState, OrderDeskCommand>('invoice', {
  // Nothing may refuse an order after it took its number, so hooks are asked before.
  RequestManualOrder: ({ content, email, billingAddress, shippingAddress }, _, invoiceId) => {
    const { customerId, currency, amounts: totals, orders } = content;
    const lines = orders.flatMap((order) => order.lines);
    const about = { basketId: null, invoiceId, customerId, email, currency, lines, totals };
    const order = { ...about, billingAddress, shippingAddress };
    return [
      ['InvoiceSavingNotification', order],
      ['OrderGroupingModifyingNotification', { basketId: null, invoiceId, lines, groups: orders }],
      ['OrderCreatingNotification', order],
      ['OrderSavingNotification', order],
    ];
  },
  ChangeBillingAddress: ({ changes: billingAddress }, state, invoiceId) =>
    saving(state, invoiceId, { billingAddress }),
  ChangeShippingAddress: ({ changes: shippingAddress }, state, invoiceId) =>
    saving(state, invoiceId, { shippingAddress }),
  ChangePurchaseOrderNumber: ({ purchaseOrderNumber: purchaseOrder }, state, invoiceId) =>
    saving(state, invoiceId, { purchaseOrder }),
});
