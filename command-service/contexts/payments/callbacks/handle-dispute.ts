import { disputeOf } from '../../invoices/payments/disputes.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import { isOtherCurrency, note, paymentFor, referencesOf, type Handler } from './handle-callback.ts';
import { acceptRefund, refund } from './handle-refund.ts';

export const disputeOpened: Handler = async ({ streams }, find, received) => {
  const { alias: provider, event, meta } = received;
  const { disputeId, amountMinor, reason } = event;
  if (referencesOf(event).length === 0 || disputeId === null) return 'incomplete';
  const found = await paymentFor(find, received);
  if (!found) return 'early';
  const { paymentId } = found.payment;
  const amount = isOtherCurrency(event, found) ? null : amountMinor;
  const command = { type: 'OpenDispute', provider, paymentId, disputeId, amount, reason } as const;
  await streams.send(invoiceStream, found.invoiceId, command, meta, { isProcessStep: true });
  return 'recorded';
};

export const disputeResolved: Handler = async (deps, find, received) => {
  const { alias: provider, event, meta } = received;
  const { disputeId, disputeOutcome: outcome } = event;
  if (referencesOf(event).length === 0 || disputeId === null || outcome === null) return 'incomplete';
  const found = await paymentFor(find, received);
  const dispute = found && disputeOf(found.invoice, provider, disputeId);
  if (!found || !dispute) return 'early';
  if (dispute.status === 'lost' && outcome === 'won') {
    const text = `${provider}: dispute ${disputeId} was won after it was lost. Its money has come back; nothing was recorded.`;
    await note(deps, found.invoiceId, text, received, `won after all ${disputeId}`);
    return 'contradicted';
  }
  const command = { type: 'ResolveDispute', provider, disputeId, outcome } as const;
  await deps.streams.send(invoiceStream, found.invoiceId, command, meta, { isProcessStep: true });
  if (outcome === 'lost') {
    const amount = dispute.amount ?? (isOtherCurrency(event, found) ? null : event.amountMinor);
    const named = { refundId: event.refundId ?? disputeId };
    const made = await refund(deps, found, { ...named, amount }, received);
    await acceptRefund(deps, found, made, named, received);
  }
  return 'recorded';
};
