import { commandHooks } from '#command/engine/hooks.ts';
import { isKnown, type InvoiceState } from '../invoices/invoice.state.ts';
import type { RefundCommand } from '../invoices/refunds/refund.commands.ts';
import type { PaymentCommand } from '../invoices/payments/payment.commands.ts';
import type { PurchaseOrderCommand } from '../invoices/payments/purchase-order.commands.ts';

/** What hooks are asked before an invoice is paid: never with what it is paid (docs/guides/hooks.md#notifications). */
export const paymentHooks = commandHooks<InvoiceState, PaymentCommand>('invoice', {
  AttemptPayment: ({ provider, method }, _, invoiceId) => [
    'PaymentCreatingNotification',
    { invoiceId, provider, method },
  ],
  // Before the shopper is told where to pay: what they pay there is recorded even if a hook objects.
  OpenPaymentSession: ({ provider, method }, _, invoiceId) => [
    'PaymentCreatingNotification',
    { invoiceId, provider, method },
  ],
  RecordDirectPayment: ({ provider, method }, _, invoiceId) => [
    'PaymentCreatingNotification',
    { invoiceId, provider, method },
  ],
  RecordManualPayment: ({ method, amount }, state, invoiceId) => [
    'PaymentCreatingNotification',
    {
      invoiceId,
      provider: null,
      method,
      amount: amount ?? (isKnown(state) ? state.balance.balanceDue : 0),
    },
  ],
});

/** Asked before staff give money back; what is owed back goes without asking. */
export const refundHooks = commandHooks<InvoiceState, RefundCommand>('invoice', {
  StartRefund: ({ refundId, paymentId, amount, reason, how, by }, _, invoiceId) =>
    how === 'owed'
      ? []
      : [
          'PaymentRefundingNotification',
          { invoiceId, paymentId, refundId, amount, reason, by, isManualRefund: how === 'hand' },
        ],
});

/** A purchase order is asked for as a payment is, without its number. */
export const purchaseOrderHooks = commandHooks<InvoiceState, PurchaseOrderCommand>('invoice', {
  RequestPurchaseOrder: (_command, _, invoiceId) => [
    'PaymentCreatingNotification',
    { invoiceId, provider: 'purchaseorder', method: 'purchaseorder' },
  ],
});
