import type { KnownInvoice, Payment } from '../../invoices/invoice.state.ts';
import type { Authorization } from '../../invoices/payments/authorizations.state.ts';
import type { PaymentSession } from '../../invoices/payments/payment-sessions.state.ts';

/** What came of an attempt to pay, or of a session. */
export type AttemptOutcome =
  | { readonly kind: 'completed'; readonly payment: Payment }
  /** The money is set aside: the sale stands, and staff take it later. */
  | { readonly kind: 'authorized'; readonly authorization: Authorization }
  | {
      readonly kind: 'declined' | 'cancelled';
      readonly message: string;
      readonly transactionId: string | null;
    }
  /** The outcome is unknown; the provider may have named the transaction. */
  | { readonly kind: 'pending'; readonly transactionId: string | null }
  /** The payer has to go on elsewhere. */
  | { readonly kind: 'requiresAction'; readonly session: PaymentSession }
  /** The provider could not be reached and has certainly not charged. */
  | { readonly kind: 'notAttempted' };

export type KnownOutcome = Exclude<AttemptOutcome, { kind: 'notAttempted' }>;

/** Whether the shopper has bought: they go on as a buyer. */
export const hasBought = ({ kind }: AttemptOutcome): boolean => kind === 'completed' || kind === 'authorized';

/** What was set aside; null for nothing, or nothing any more. */
const authorizedOutcome = (
  { authorizations }: KnownInvoice,
  isIt: (one: Authorization) => boolean,
): KnownOutcome | null => {
  const authorization = authorizations.findLast(isIt);
  if (!authorization) return null;
  const { status, transactionId, ask } = authorization;
  if (status === 'held' && ask?.kind !== 'void') return { kind: 'authorized', authorization };
  const message = `The payment was authorised, and has ${status === 'expired' ? 'expired' : 'been voided'}.`;
  return { kind: 'cancelled', message, transactionId };
};

/** What is known of a session. */
export const sessionOutcome = (invoice: KnownInvoice, session: PaymentSession): KnownOutcome => {
  const { payments, pending } = invoice;
  const { provider, sessionId: transactionId, status } = session;
  const payment = payments.find(
    (made) => made.provider === provider && (made.sessionId ?? made.transactionId) === transactionId,
  );
  if (payment) return { kind: 'completed', payment };
  const authorized = authorizedOutcome(
    invoice,
    (made) => made.provider === provider && (made.sessionId ?? made.transactionId) === transactionId,
  );
  if (authorized) return authorized;
  // The provider may take on what the shop had closed before.
  if (pending?.sessionId === transactionId) return { kind: 'pending', transactionId: pending.transactionId };
  if (status !== 'open') {
    const kind = status === 'declined' ? status : 'cancelled';
    return { kind, message: session.message ?? 'The payment was cancelled.', transactionId };
  }
  return { kind: 'requiresAction', session };
};

/** What is known of what a provider calls so, be it a session or a transaction; null: nothing. */
export const transactionOutcome = (
  invoice: KnownInvoice,
  { provider, reference }: { readonly provider: string; readonly reference: string },
): KnownOutcome | null => {
  const session = invoice.sessions.findLast(
    (one) => one.provider === provider && one.sessionId === reference,
  );
  if (session) return sessionOutcome(invoice, session);
  const { payments, pending, failedTransactions } = invoice;
  const payment = payments.find((made) => made.provider === provider && made.transactionId === reference);
  if (payment) return { kind: 'completed', payment };
  const authorized = authorizedOutcome(
    invoice,
    (made) => made.provider === provider && made.transactionId === reference,
  );
  if (authorized) return authorized;
  if (pending?.provider === provider && pending.transactionId === reference)
    return { kind: 'pending', transactionId: reference };
  return failedTransactions.includes(`${provider} ${reference}`)
    ? { kind: 'declined', message: 'The payment failed.', transactionId: reference }
    : null;
};

/** The same, once the provider has said what it calls the payment: it may have told of it under that name before. */
export const foundOutcome = (
  invoice: KnownInvoice,
  { provider, reference }: { readonly provider: string; readonly reference: string },
  transactionId: string,
): KnownOutcome | null => {
  const told = transactionOutcome(invoice, { provider, reference: transactionId });
  return told && hasBought(told) ? told : transactionOutcome(invoice, { provider, reference });
};

export const outcomeOf = (invoice: KnownInvoice, attemptId: string): AttemptOutcome => {
  const { payments, lastFailure, pending, sessions } = invoice;
  const payment = payments.find((made) => made.attemptId === attemptId);
  if (payment) return { kind: 'completed', payment };
  const authorized = authorizedOutcome(invoice, (made) => made.attemptId === attemptId);
  if (authorized) return authorized;
  const session = sessions.findLast((one) => one.attemptId === attemptId);
  if (session) return sessionOutcome(invoice, session);
  if (lastFailure?.attemptId === attemptId) {
    const { kind, message } = lastFailure;
    return kind === 'declined' ? { kind, message, transactionId: null } : { kind };
  }
  return { kind: 'pending', transactionId: pending?.attemptId === attemptId ? pending.transactionId : null };
};
