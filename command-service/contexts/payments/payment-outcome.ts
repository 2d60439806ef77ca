import type { KnownInvoice, Payment } from '../orders/invoice.state.ts';

/** What came of an attempt to pay. */
export type AttemptOutcome =
  | { readonly kind: 'completed'; readonly payment: Payment }
  | { readonly kind: 'declined'; readonly message: string }
  | { readonly kind: 'pending' }
  /** The provider could not be reached and has certainly not charged. */
  | { readonly kind: 'notAttempted' };

export const outcomeOf = ({ payments, lastFailure }: KnownInvoice, attemptId: string): AttemptOutcome => {
  const payment = payments.find((made) => made.attemptId === attemptId);
  if (payment) return { kind: 'completed', payment };
  if (lastFailure?.attemptId !== attemptId) return { kind: 'pending' };
  const { kind } = lastFailure;
  return kind === 'declined' ? { kind, message: lastFailure.message } : { kind };
};
