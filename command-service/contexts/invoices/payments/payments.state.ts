import { isOutcomeOf, type AwaitedPayments } from '#events/awaited-payments.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { InvoiceBalance } from '#values/invoice-balance.ts';
import { saveForIn, type FailedAttempt, type OpenAttempt } from './open-attempt.state.ts';
import {
  sessionClosed,
  sessionOpened,
  type PaymentSession,
  type PendingPayment,
  type SessionToVoid,
} from './payment-sessions.state.ts';

export interface Payment {
  readonly paymentId: string;
  readonly attemptId: string | null;
  readonly provider: string;
  readonly method: string;
  readonly transactionId: string;
  readonly amount: number;
  readonly amountInStoreCurrency: number;
  readonly sessionId: string | null;
  /** It came when nothing was to be paid any more: it is owed back. */
  readonly isOverpayment: boolean;
  /** The method that was saved with it; null where none was. */
  readonly keptMethodId: string | null;
  /** What its provider says of it, the last time; null where it has said nothing. */
  readonly risk: { readonly score: number; readonly source: string } | null;
}

/** What an invoice knows of its money. */
export interface Paying {
  readonly balance: InvoiceBalance;
  /** Null once it is closed. */
  readonly awaited: AwaitedPayments | null;
  readonly openAttempt: OpenAttempt | null;
  /** What a provider owes an outcome for; there is one or the other. */
  readonly pending: PendingPayment | null;
  /** The last ones, open and closed. */
  readonly sessions: readonly PaymentSession[];
  readonly sessionsToVoid: readonly SessionToVoid[];
  /** Sessions that were ever opened. */
  readonly openedSessions: number;
  /** Sessions that came to nothing: the next session's key counts them. */
  readonly endedSessions: number;
  readonly lastFailure: FailedAttempt | null;
  /** When the last session was opened; ISO instant. */
  readonly idleSince: string | null;
  /** Attempts whose outcome is final: the next attempt's key counts them. */
  readonly finalAttempts: number;
  /** The last ones that failed by word of the provider, as it calls them. */
  readonly failedTransactions: readonly string[];
  readonly payments: readonly Payment[];
}

/** An attempt is over, for good: the next one has another key. */
export const settled = <Invoice extends Paying>(invoice: Invoice, attemptId: string | null): Invoice => {
  const { openAttempt, pending } = invoice;
  const isOver = (of: { readonly attemptId: string | null } | null): boolean =>
    attemptId !== null && of?.attemptId === attemptId;
  if (!isOver(openAttempt) && !isOver(pending)) return invoice;
  return {
    ...invoice,
    openAttempt: isOver(openAttempt) ? null : openAttempt,
    pending: isOver(pending) ? null : pending,
    finalAttempts: invoice.finalAttempts + 1,
  };
};

export const failed = <Invoice extends Paying>(invoice: Invoice, lastFailure: FailedAttempt): Invoice => ({
  ...settled(invoice, lastFailure.attemptId),
  lastFailure,
});

const FAILED_REMEMBERED = 20;

export const declined = <Invoice extends Paying>(
  invoice: Invoice,
  { data }: EventOfType<InvoiceEvent, 'PaymentDeclined'>,
): Invoice => {
  const { attemptId, message, provider, transactionId, endsPending = false } = data;
  const known = [...invoice.failedTransactions, ...(transactionId ? [`${provider} ${transactionId}`] : [])];
  const after = { ...invoice, failedTransactions: known.slice(-FAILED_REMEMBERED) };
  if (attemptId !== null) return failed(after, { attemptId, kind: 'declined', message });
  // Of a transaction that somebody made at the provider without the shop.
  return endsPending ? { ...after, pending: null } : after;
};

export const captured = <Invoice extends Paying>(
  invoice: Invoice,
  { data }: EventOfType<InvoiceEvent, 'PaymentCaptured'>,
): Invoice => {
  const { paymentId, attemptId, provider, method, transactionId, amount, balance } = data;
  const { sessionId = null, isLate = false, isSurplus = false, keptMethodId = null } = data;
  const { amountInStoreCurrency, risk = null } = data;
  const made = { paymentId, attemptId, provider, method, transactionId, amount, sessionId, keptMethodId };
  const payment: Payment = { ...made, amountInStoreCurrency, risk, isOverpayment: isLate || isSurplus };
  const after = settled(invoice, attemptId);
  const { pending } = after;
  return {
    ...after,
    // Also of a charge that went on as a session, and is open no more.
    finalAttempts: invoice.finalAttempts + (attemptId === null ? 0 : 1),
    pending: pending && isOutcomeOf(pending, data) ? null : pending,
    balance,
    payments: [...invoice.payments, payment],
  };
};

export const riskAssessed = <Invoice extends Paying>(
  invoice: Invoice,
  { data: { paymentId, risk } }: EventOfType<InvoiceEvent, 'PaymentRiskAssessed'>,
): Invoice => ({
  ...invoice,
  payments: invoice.payments.map((made) => (made.paymentId === paymentId ? { ...made, risk } : made)),
});

/** Of a charge that goes on as a session, or owes its outcome: it is asked for no more by its key. */
const withoutAttempt = (
  { openAttempt }: Pick<Paying, 'openAttempt'>,
  attemptId: string | null | undefined,
): OpenAttempt | null => (openAttempt?.attemptId === attemptId ? null : openAttempt);

export const sessionBegun = <Invoice extends Paying>(
  invoice: Invoice,
  event: EventOfType<InvoiceEvent, 'PaymentSessionOpened'>,
): Invoice => {
  const { attemptId, openedAt, balance } = event.data;
  return {
    ...invoice,
    balance,
    openAttempt: withoutAttempt(invoice, attemptId),
    sessions: sessionOpened(invoice.sessions, event),
    openedSessions: invoice.openedSessions + 1,
    idleSince: openedAt,
  };
};

export const outcomeOwed = <Invoice extends Paying>(
  invoice: Invoice,
  { data }: EventOfType<InvoiceEvent, 'PaymentPending'>,
): Invoice => {
  const { provider, method, transactionId, attemptId, sessionId, amount, pendingSince } = data;
  const owed = { provider, method, transactionId, attemptId, sessionId, amount, pendingSince };
  return {
    ...invoice,
    openAttempt: withoutAttempt(invoice, attemptId),
    pending: { ...owed, saveFor: saveForIn(data) },
  };
};

/** A charge that became a session ends with it: the same card may be tried again. */
export const sessionEnded = <Invoice extends Paying>(
  invoice: Invoice,
  { data }: EventOfType<InvoiceEvent, 'PaymentSessionClosed'>,
): Invoice => {
  const { sessionId, reason, endsPending = false } = data;
  const after = { ...invoice, ...sessionClosed(invoice, data) };
  const cameToNothing = reason !== 'paid' && invoice.balance.balanceDue > 0;
  const wasCharge = invoice.sessions.some((one) => one.sessionId === sessionId && one.attemptId !== null);
  return {
    ...after,
    pending: endsPending ? null : after.pending,
    endedSessions: after.endedSessions + (cameToNothing ? 1 : 0),
    finalAttempts: after.finalAttempts + (cameToNothing && wasCharge ? 1 : 0),
  };
};
