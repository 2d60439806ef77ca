import { isOutcomeOf, nothingAwaited, type AwaitedPayments } from '#events/awaited-payments.ts';
import type { PaymentPages } from '#events/invoice.fields.ts';
import type { InvoiceBalance } from '#values/invoice-balance.ts';
import type { InvoiceEventOf, Part } from '../invoice-part.state.ts';
import type { Authorizing } from './authorizations.state.ts';
import { attemptOf, saveForIn, type FailedAttempt, type OpenAttempt } from './open-attempt.state.ts';
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
  /** It arrived when nothing was due: it is owed back. */
  readonly isOverpayment: boolean;
  /** The method saved with this payment; null if none. */
  readonly keptMethodId: string | null;
  /** The provider's latest assessment; null if there is none. */
  readonly risk: { readonly score: number; readonly source: string } | null;
}

export interface Paying {
  readonly balance: InvoiceBalance;
  /** Null once the invoice is closed. */
  readonly awaited: AwaitedPayments | null;
  readonly openAttempt: OpenAttempt | null;
  /** The payment whose outcome is pending; never together with an open attempt. */
  readonly pending: PendingPayment | null;
  /** The latest ones, open and closed. */
  readonly sessions: readonly PaymentSession[];
  readonly sessionsToVoid: readonly SessionToVoid[];
  readonly openedSessions: number;
  /** Failed sessions; part of the next session's key. */
  readonly endedSessions: number;
  readonly lastFailure: FailedAttempt | null;
  /** ISO instant at which the latest session was opened. */
  readonly idleSince: string | null;
  /** ISO instant until which goods are held for a promised payment; null if none was promised. */
  readonly heldUntil: string | null;
  /** Attempts with a final outcome; part of the next attempt's id. */
  readonly finalAttempts: number;
  /** The latest transactions that the provider reported as failed, by its own ids. */
  readonly failedTransactions: readonly string[];
  readonly payments: readonly Payment[];
  /** Where payers go on at the end; null: the shop's own pages. */
  readonly pages: PaymentPages | null;
}

export const unpaid: Omit<Paying, 'balance'> = {
  awaited: nothingAwaited,
  openAttempt: null,
  pending: null,
  sessions: [],
  sessionsToVoid: [],
  openedSessions: 0,
  endedSessions: 0,
  lastFailure: null,
  idleSince: null,
  heldUntil: null,
  finalAttempts: 0,
  failedTransactions: [],
  payments: [],
  pages: null,
};

type Over = Pick<Paying, 'openAttempt' | 'pending' | 'finalAttempts'>;

type Nullable<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | null };

/** Ends an attempt for good: the next one has another id. */
const settled = ({ openAttempt, pending, finalAttempts }: Paying, attemptId: string | null): Over => {
  const isOver = (of: { readonly attemptId: string | null } | null): boolean =>
    attemptId !== null && of?.attemptId === attemptId;
  const ended = isOver(openAttempt) || isOver(pending) ? 1 : 0;
  return {
    openAttempt: isOver(openAttempt) ? null : openAttempt,
    pending: isOver(pending) ? null : pending,
    finalAttempts: finalAttempts + ended,
  };
};

const failed = (invoice: Paying, lastFailure: FailedAttempt): Partial<Paying> => ({
  ...settled(invoice, lastFailure.attemptId),
  lastFailure,
});

const FAILED_REMEMBERED = 20;

const declined = (invoice: Paying, { data }: InvoiceEventOf<'PaymentDeclined'>): Partial<Paying> => {
  const { attemptId, code, message, provider, transactionId, endsPending = false } = data;
  const known = [...invoice.failedTransactions, ...(transactionId ? [`${provider} ${transactionId}`] : [])];
  const failedTransactions = known.slice(-FAILED_REMEMBERED);
  if (attemptId !== null)
    return { ...failed(invoice, { attemptId, kind: 'declined', code, message }), failedTransactions };
  // A transaction made at the provider without the shop.
  return endsPending ? { failedTransactions, pending: null } : { failedTransactions };
};

/** Set aside is an outcome: the same card asked with again is that authorisation. */
const authorized = (invoice: Paying, { data }: InvoiceEventOf<'PaymentAuthorized'>): Partial<Paying> => {
  const { openAttempt, pending } = settled(invoice, data.attemptId);
  return {
    openAttempt,
    finalAttempts: invoice.finalAttempts + (data.attemptId === null ? 0 : 1),
    pending: pending && isOutcomeOf(pending, data) ? null : pending,
  };
};

const captured = (
  invoice: Paying & Authorizing,
  { data }: InvoiceEventOf<'PaymentCaptured'>,
): Partial<Paying> => {
  const { paymentId, attemptId, provider, method, transactionId, amount, balance } = data;
  const { sessionId = null, isLate = false, isSurplus = false, keptMethodId = null } = data;
  const { amountInStoreCurrency, risk = null } = data;
  const made = { paymentId, attemptId, provider, method, transactionId, amount, sessionId, keptMethodId };
  const payment: Payment = { ...made, amountInStoreCurrency, risk, isOverpayment: isLate || isSurplus };
  const { openAttempt, pending } = settled(invoice, attemptId);
  const isCounted = invoice.authorizations.some((one) => one.attemptId === attemptId);
  return {
    openAttempt,
    // Also for a charge that became a session and is no longer open.
    finalAttempts: invoice.finalAttempts + (attemptId === null || isCounted ? 0 : 1),
    pending: pending && isOutcomeOf(pending, data) ? null : pending,
    balance,
    payments: [...invoice.payments, payment],
  };
};

/** The payment that came before the answer to its attempt: the same card asked with again is that payment. */
const matched = (invoice: Paying, { data }: InvoiceEventOf<'PaymentAttemptMatched'>): Partial<Paying> => {
  const { attemptId, provider, transactionId } = data;
  const isIt = (made: Payment): boolean =>
    made.attemptId === null && made.provider === provider && made.transactionId === transactionId;
  return {
    ...settled(invoice, attemptId),
    payments: invoice.payments.map((made) => (isIt(made) ? { ...made, attemptId } : made)),
  };
};

/** A charge that becomes a session, or whose outcome is pending, is not asked for again under its key. */
const withoutAttempt = (
  { openAttempt }: Pick<Paying, 'openAttempt'>,
  attemptId: string | null | undefined,
): OpenAttempt | null => (openAttempt?.attemptId === attemptId ? null : openAttempt);

/** A charge that became a session ends with it, so that the same card can be tried again. */
const sessionEnded = (invoice: Paying, { data }: InvoiceEventOf<'PaymentSessionClosed'>): Partial<Paying> => {
  const { sessionId, reason, endsPending = false } = data;
  const { balance, pending, endedSessions, finalAttempts, sessions } = invoice;
  const cameToNothing = reason !== 'paid' && balance.balanceDue > 0;
  const wasCharge = sessions.some((one) => one.sessionId === sessionId && one.attemptId !== null);
  return {
    ...sessionClosed(invoice, data),
    pending: endsPending ? null : pending,
    endedSessions: endedSessions + (cameToNothing ? 1 : 0),
    finalAttempts: finalAttempts + (cameToNothing && wasCharge ? 1 : 0),
  };
};

const pagesOf = ({ returnUrl, cancelUrl }: Nullable<PaymentPages>): PaymentPages | null =>
  returnUrl === null || cancelUrl === null ? null : { returnUrl, cancelUrl };

export const onPaymentEvents = {
  PaymentAttempted: (_, { data }) => ({ openAttempt: attemptOf(data) }),
  PaymentAskedAgain: ({ openAttempt }, { data: { attemptId } }) =>
    openAttempt?.attemptId === attemptId ? { openAttempt: { ...openAttempt, firstAsk: null } } : {},
  PaymentPromised: (_, { data: { balance, heldUntil } }) => ({ balance, heldUntil }),
  PaymentSessionOpened: (invoice, event) => ({
    balance: event.data.balance,
    openAttempt: withoutAttempt(invoice, event.data.attemptId),
    sessions: sessionOpened(invoice.sessions, event),
    openedSessions: invoice.openedSessions + 1,
    idleSince: event.data.openedAt,
    pages: pagesOf(event.data) ?? invoice.pages,
  }),
  PaymentPagesChosen: (_, { data }) => ({ pages: pagesOf(data) }),
  PaymentSessionClosed: sessionEnded,
  PaymentSessionsVoided: ({ sessionsToVoid }, { data: { sessionIds } }) => ({
    sessionsToVoid: sessionsToVoid.filter(({ sessionId }) => !sessionIds.includes(sessionId)),
  }),
  PaymentPending: (invoice, { data }) => {
    const { provider, method, transactionId, attemptId, sessionId, amount, pendingSince } = data;
    const owed = { provider, method, transactionId, attemptId, sessionId, amount, pendingSince };
    return {
      openAttempt: withoutAttempt(invoice, attemptId),
      pending: { ...owed, saveFor: saveForIn(data) },
    };
  },
  PaymentAttemptMatched: matched,
  PaymentDeclined: declined,
  PaymentNotAttempted: (invoice, { data: { attemptId, reason: message } }) =>
    failed(invoice, { attemptId, kind: 'notAttempted', code: null, message }),
  PaymentAuthorized: authorized,
  PaymentCaptured: captured,
  PaymentRiskAssessed: ({ payments }, { data: { paymentId, risk } }) => ({
    payments: payments.map((made) => (made.paymentId === paymentId ? { ...made, risk } : made)),
  }),
} satisfies Part<Paying, Paying & Authorizing>;
