import { disputeOf } from '../../invoices/payments/disputes.state.ts';
import { disputeStream } from '../../invoices/payments/dispute.stream.ts';
import { isOtherCurrency, paymentFor, referencesOf, type Handler } from './told-callback.ts';
import { acceptRefund, refund } from './told-refund.ts';

export const disputeOpened: Handler = async ({ streams }, find, told) => {
  const { alias: provider, event, meta } = told;
  const { disputeId, amountMinor, reason } = event;
  if (referencesOf(event).length === 0 || disputeId === null) return 'incomplete';
  const found = await paymentFor(find, told);
  if (!found) return 'early';
  const { paymentId } = found.payment;
  const amount = isOtherCurrency(event, found) ? null : amountMinor;
  const command = { type: 'OpenDispute', provider, paymentId, disputeId, amount, reason } as const;
  await streams.send(disputeStream, found.invoiceId, command, meta, { isProcessStep: true });
  return 'recorded';
};

export const disputeResolved: Handler = async (deps, find, told) => {
  const { alias: provider, event, meta } = told;
  const { disputeId, disputeOutcome: outcome } = event;
  if (referencesOf(event).length === 0 || disputeId === null || outcome === null) return 'incomplete';
  const found = await paymentFor(find, told);
  const dispute = found && disputeOf(found.invoice, provider, disputeId);
  if (!found || !dispute) return 'early';
  const command = { type: 'ResolveDispute', provider, disputeId, outcome } as const;
  await deps.streams.send(disputeStream, found.invoiceId, command, meta, { isProcessStep: true });
  if (outcome === 'lost') {
    const amount = dispute.amount ?? (isOtherCurrency(event, found) ? null : event.amountMinor);
    const named = { refundId: event.refundId ?? disputeId };
    const made = await refund(deps, found, { ...named, amount }, told);
    await acceptRefund(deps, found, made, named, told);
  }
  return 'recorded';
};
