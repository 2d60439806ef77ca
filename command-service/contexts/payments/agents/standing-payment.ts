import { isSold, type KnownInvoice } from '../../invoices/invoice.state.ts';
import type { AgentPaid, AgentPaymentsApi } from './agent-payments.commands.ts';
import type { FailedAttempt } from '../../invoices/payments/open-attempt.state.ts';
import { knownInvoice } from '../charging/own-invoice.ts';
import type { Settlement } from '../settle-payment.ts';

/** How providers call a card that they take to be stolen. */
const fraud: ReadonlySet<string> = new Set(['fraud', 'fraudulent']);

export const declinedBy = (invoiceId: string, { code, message }: FailedAttempt): AgentPaid => ({
  kind: 'declined',
  invoiceId,
  isFraud: code !== null && fraud.has(code),
  message,
});

/** What is known of an invoice's payment; null: nothing of it is under way. `since`: when it was asked for. */
export const standingOf = (invoiceId: string, invoice: KnownInvoice, since: string): AgentPaid | null => {
  if (isSold(invoice)) return { kind: 'bought', invoiceId, invoiceNumber: invoice.invoiceNumber };
  const { status, openAttempt, pending, heldUntil, sessions } = invoice;
  if (status !== 'open') return null;
  // A promise holds the goods until staff have the money.
  if (openAttempt !== null || pending !== null || heldUntil !== null)
    return { kind: 'awaited', invoiceId, from: 'provider', continueUrl: null };
  const begun = Date.parse(since);
  const session = sessions.findLast((one) => one.status === 'open' && Date.parse(one.openedAt) >= begun);
  if (!session) return null;
  return { kind: 'awaited', invoiceId, from: 'buyer', continueUrl: session.redirectUrl };
};

/** Settles what is open of an invoice first; the attempt that ended by it says why it failed. */
export const createPaidByNow =
  (settlement: Pick<Settlement, 'load' | 'recall' | 'settle'>): AgentPaymentsApi['paidByNow'] =>
  async (invoiceId, since, meta) => {
    const { openAttempt } = await knownInvoice({ ...settlement, recall: settlement.load }, invoiceId);
    await settlement.settle(invoiceId, meta);
    const invoice = await knownInvoice({ ...settlement, recall: settlement.load }, invoiceId);
    const standing = standingOf(invoiceId, invoice, since);
    const { lastFailure } = invoice;
    const hasJustFailed = openAttempt !== null && lastFailure?.attemptId === openAttempt.attemptId;
    return standing === null && hasJustFailed && lastFailure.kind === 'declined'
      ? declinedBy(invoiceId, lastFailure)
      : standing;
  };
