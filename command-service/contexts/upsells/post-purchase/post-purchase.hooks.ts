import { commandHooks } from '#command/engine/hooks.ts';
import { isKnown, type InvoiceState } from '../../invoices/invoice.state.ts';
import type { PostPurchaseCommand } from '../../invoices/post-purchase/post-purchase.commands.ts';

/** Before-hooks of an addition after a purchase, asked before anything is charged. */
export const postPurchaseHooks = commandHooks<InvoiceState, PostPurchaseCommand>('invoice', {
  BeginPostPurchaseAdd: ({ provider, method, amount, content, changedOrderIds }, state, invoiceId) => {
    const { currency, amounts: totals } = content;
    const invoiceNumber = isKnown(state) ? state.invoiceNumber : null;
    const by = 'post-purchase';
    const saving = { invoiceId, invoiceNumber, currency, totals, reason: null, by };
    return [
      ['PaymentCreatingNotification', { invoiceId, provider, method, amount }],
      ['InvoiceSavingNotification', saving],
      ...changedOrderIds.map((orderId) => ['OrderSavingNotification', { invoiceId, orderId, by }] as const),
    ];
  },
});
