import { noticesOf } from '#command/engine/hooks.ts';
import type { InvoiceState } from '../orders/invoice.state.ts';
import type { PaymentCommand } from './payment.commands.ts';

/** What hooks are asked before an invoice is paid: never with what it is paid (docs/hooks.md#notifications). */
export const paymentNotices = noticesOf<InvoiceState, PaymentCommand>('invoice', {
  AttemptPayment: ({ provider, method }, _, invoiceId) => [
    'PaymentCreatingNotification',
    { invoiceId, provider, method },
  ],
  RecordDirectPayment: ({ provider, method }, _, invoiceId) => [
    'PaymentCreatingNotification',
    { invoiceId, provider, method },
  ],
  RecordManualPayment: ({ method, amount }, _, invoiceId) => [
    'PaymentCreatingNotification',
    { invoiceId, provider: null, method, amount },
  ],
});
