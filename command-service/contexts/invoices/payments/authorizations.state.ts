import type { Risk } from '#ports/payment-requests.ts';
import type { Minor } from '#values/money.ts';
import type { InvoiceEventOf, Part } from '../invoice-part.state.ts';

/** What a provider is being asked for, under which key; its answer ends it. */
export type AuthorizationAsk =
  | { readonly kind: 'capture'; readonly askId: string; readonly amount: Minor; readonly by: string }
  | { readonly kind: 'void'; readonly askId: string; readonly by: string };

/** Money that a provider has set aside (docs/rules/authorizations.md). */
export interface Authorization {
  /** Of the payment that it becomes. */
  readonly paymentId: string;
  readonly attemptId: string | null;
  readonly provider: string;
  readonly method: string;
  readonly transactionId: string;
  readonly sessionId: string | null;
  readonly amount: Minor;
  /** ISO instant; null if the provider does not say. */
  readonly expiresAt: string | null;
  /** The method saved with it; null if none. */
  readonly keptMethodId: string | null;
  readonly risk: Risk | null;
  readonly status: 'held' | 'captured' | 'voided' | 'expired';
  readonly ask: AuthorizationAsk | null;
  /** Why the latest ask came to nothing. */
  readonly lastNo: { readonly askId: string; readonly message: string } | null;
}

export interface Authorizing {
  readonly authorizations: readonly Authorization[];
}

export const nothingAuthorized: Authorizing = { authorizations: [] };

export const authorizationNamed = (
  { authorizations }: Authorizing,
  provider: string,
  transactionId: string,
): Authorization | undefined =>
  authorizations.find((one) => one.provider === provider && one.transactionId === transactionId);

export const heldOf = ({ authorizations }: Authorizing): readonly Authorization[] =>
  authorizations.filter(({ status }) => status === 'held');

/** What can still be captured: the shop has not begun to let it go. */
export const toBeCaptured = (authorizing: Authorizing): readonly Authorization[] =>
  heldOf(authorizing).filter(({ ask }) => ask?.kind !== 'void');

/** Whether all of what is due is set aside, with `more` that is being set aside now, and can be captured. */
export const isCovered = (authorizing: Authorizing, balanceDue: Minor, more: Minor = 0): boolean =>
  balanceDue > 0 && toBeCaptured(authorizing).reduce((sum, { amount }) => sum + amount, more) >= balanceDue;

export const isBeingCaptured = ({ authorizations }: Authorizing): boolean =>
  authorizations.some(({ ask }) => ask?.kind === 'capture');

/** Asks under way, apart from those of this authorisation. */
export const asksBeside = ({ authorizations }: Authorizing, paymentId: string): number =>
  authorizations.filter((one) => one.ask !== null && one.paymentId !== paymentId).length;

const changed = (
  { authorizations }: Authorizing,
  paymentId: string,
  change: Partial<Authorization>,
): Authorizing => ({
  authorizations: authorizations.map((one) => (one.paymentId === paymentId ? { ...one, ...change } : one)),
});

const authorized = (
  { authorizations }: Authorizing,
  { data }: InvoiceEventOf<'PaymentAuthorized'>,
): Authorizing => {
  const { paymentId, attemptId, provider, method, transactionId, amount, expiresAt } = data;
  const { sessionId = null, keptMethodId = null, risk = null } = data;
  const money = { paymentId, attemptId, provider, method, transactionId, sessionId, amount, expiresAt };
  const made = { ...money, keptMethodId, risk, status: 'held', ask: null, lastNo: null } as const;
  return { authorizations: [...authorizations, made] };
};

export const onAuthorizationEvents = {
  PaymentAuthorized: authorized,
  CaptureAttempted: (invoice, { data: { paymentId, captureId: askId, amount, by } }) =>
    changed(invoice, paymentId, { ask: { kind: 'capture', askId, amount, by } }),
  VoidAttempted: (invoice, { data: { paymentId, voidId: askId, by } }) =>
    changed(invoice, paymentId, { ask: { kind: 'void', askId, by } }),
  CaptureDeclined: (invoice, { data: { paymentId, captureId: askId, message } }) =>
    changed(invoice, paymentId, { ask: null, lastNo: { askId, message } }),
  VoidDeclined: (invoice, { data: { paymentId, voidId: askId, message } }) =>
    changed(invoice, paymentId, { ask: null, lastNo: { askId, message } }),
  AuthorizationReleased: (invoice, { data: { paymentId, reason: status } }) =>
    changed(invoice, paymentId, { status, ask: null }),
  PaymentCaptured: (invoice, { data: { paymentId } }) =>
    changed(invoice, paymentId, { status: 'captured', ask: null }),
  /** Authorised before the answer to its attempt: the same card asked with again is that authorisation. */
  PaymentAttemptMatched: ({ authorizations }, { data: { attemptId, provider, transactionId } }) => ({
    authorizations: authorizations.map((one) =>
      one.attemptId === null && one.provider === provider && one.transactionId === transactionId
        ? { ...one, attemptId }
        : one,
    ),
  }),
} satisfies Part<Authorizing>;
