import { isKnown } from '../../invoices/invoice.state.ts';
import type { Refund } from '../../invoices/refunds/refunds.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import {
  accept,
  contradicted,
  isOtherCurrency,
  otherCurrency,
  paymentFor,
  referencesOf,
  type FoundPayment,
  type Handler,
  type RouteCallbackDeps,
  type ReceivedCallback,
} from './handle-callback.ts';

/** Records it; returns the refund as it is on record, undefined where nothing was left to be refunded. */
export const refund = async (
  { streams }: RouteCallbackDeps,
  { invoiceId, payment }: FoundPayment,
  { refundId, amount }: { readonly refundId: string; readonly amount: number | null },
  { alias, event, meta }: ReceivedCallback,
): Promise<Refund | undefined> => {
  const { transactionId: chargeTransactionId, paymentId } = payment;
  const reason = event.reason ?? 'Refunded at the provider.';
  const command = { provider: alias, chargeTransactionId, refundId, amount, reason } as const;
  const sent = { type: 'RecordProviderRefund', ...command } as const;
  const { state } = await streams.send(invoiceStream, invoiceId, sent, meta, { isProcessStep: true });
  return isKnown(state)
    ? state.refunds.find((one) => one.paymentId === paymentId && one.transactionId === refundId)
    : undefined;
};

export const acceptRefund = async (
  deps: RouteCallbackDeps,
  { invoiceId, invoice, payment }: FoundPayment,
  made: Refund | undefined,
  { refundId }: { readonly refundId: string },
  { alias }: ReceivedCallback,
): Promise<void> => {
  // A failed one stays failed, whatever arrives later.
  if (!made || made.status === 'declined') return;
  const { transactionId } = payment;
  const { currency } = invoice.content;
  const accepted = {
    type: 'RefundCompleted',
    invoiceId,
    transactionId,
    refundId,
    amountMinor: made.amount,
    currency,
  } as const;
  await accept(deps, alias, accepted);
};

/** Of money that no invoice is paid by. */
const ofUnmatched = async (
  { unmatched }: RouteCallbackDeps,
  { alias, event, meta }: ReceivedCallback,
): Promise<'recorded' | 'early'> => ((await unmatched.refundTold(alias, event, meta)) ? 'recorded' : 'early');

export const refunded: Handler = async (deps, find, received) => {
  const { event } = received;
  const { amountMinor: amount, eventId, refundId } = event;
  if (referencesOf(event).length === 0 || (amount !== null && amount <= 0)) return 'incomplete';
  const found = await paymentFor(find, received);
  if (!found) return ofUnmatched(deps, received);
  if (isOtherCurrency(event, found)) return otherCurrency(deps, found, received);
  const named = { refundId: refundId ?? eventId };
  const isNew = !found.invoice.refunds.some((one) => one.transactionId === named.refundId);
  const made = await refund(deps, found, { ...named, amount }, received);
  await acceptRefund(deps, found, made, named, received);
  if (isNew || !made || amount === null || made.amount === amount) return 'recorded';
  return contradicted(
    deps,
    found,
    { reference: named.refundId, recorded: made.amount, told: amount },
    received,
  );
};

/** One that was on its way, or done: the shop has its money again, and its customer has not. */
export const refundFailed: Handler = async (deps, find, received) => {
  const { alias, event, meta } = received;
  const { refundId } = event;
  if (referencesOf(event).length === 0 || refundId === null) return 'incomplete';
  const found = await paymentFor(find, received);
  const refund = found?.invoice.refunds.find(
    (one) => one.paymentId === found.payment.paymentId && one.transactionId === refundId,
  );
  if (!found) return ofUnmatched(deps, received);
  if (!refund) return 'early';
  if (refund.status === 'declined') return 'known';
  const { invoiceId, invoice, payment } = found;
  const { transactionId } = payment;
  const amount = { amountMinor: refund.amount, currency: invoice.content.currency };
  await accept(deps, alias, { type: 'RefundFailed', invoiceId, transactionId, refundId, ...amount });
  const failed = { provider: alias, chargeTransactionId: transactionId, refundId } as const;
  const message = event.reason ?? 'The refund has failed.';
  const command = { type: 'FailProviderRefund', ...failed, message } as const;
  await deps.streams.send(invoiceStream, invoiceId, command, meta, { isProcessStep: true });
  return 'refund-failed';
};
