import { commandHooks } from '#command/engine/hooks.ts';
import { fulfilmentOf } from '../invoices/fulfilment/fulfilments.state.ts';
import { isKnown, type InvoiceState } from '../invoices/invoice.state.ts';
import type { FulfilmentCommand } from '../invoices/fulfilment/fulfilment.commands.ts';

/** Before-hooks of submitting an order to its provider (docs/guides/hooks.md#notifications). */
export const fulfilmentHooks = commandHooks<InvoiceState, FulfilmentCommand>('invoice', {
  BeginSubmission: ({ orderId, source }, state, invoiceId) => {
    const isDone = isKnown(state) && (fulfilmentOf(state, orderId)?.reference ?? null) !== null;
    if (!isKnown(state) || isDone) return [];
    const { invoiceNumber } = state;
    return [['FulfilmentSubmittingNotification', { invoiceId, invoiceNumber, orderId, source }]];
  },
});
