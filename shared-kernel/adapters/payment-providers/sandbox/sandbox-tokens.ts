import type { NotDone } from '#ports/payment-requests.ts';

/** How a charge ends that is paid with a token (docs/rules/payments.md#sandbox-tokens). */
export type TokenOutcome = 'charged' | 'chargedLate' | 'pending' | 'requiresAction' | NotDone;

const payerNeeded: NotDone = {
  kind: 'refused',
  code: 'authentication_required',
  message:
    'The bank of this card wants to see you first. Pay with the card at the checkout, or choose another one.',
};

const declined: NotDone = { kind: 'refused', code: 'card_declined', message: 'The card was declined.' };
const insufficient: NotDone = { kind: 'refused', code: 'insufficient_funds', message: 'Insufficient funds.' };
const expired: NotDone = { kind: 'refused', code: 'expired_card', message: 'The card has expired.' };

interface SandboxToken {
  readonly once: TokenOutcome;
  /** When the method was saved; the same as once where it is missing. */
  readonly saved?: TokenOutcome;
  readonly last4: string;
  /** What its refunds come to: on their way until a callback brings the outcome, or until they are looked up. */
  readonly refunds?: 'pending' | 'failing';
  /** The payer's bank has a page of its own, at which they approve or decline. */
  readonly hasChallenge?: true;
}

const tokens: Readonly<Record<string, SandboxToken>> = {
  tok_success: { once: 'charged', last4: '4242' },
  tok_decline: { once: declined, last4: '0002' },
  tok_insufficient_funds: { once: insufficient, last4: '9995' },
  tok_unavailable: { once: { kind: 'unavailable' }, last4: '0119' },
  tok_timeout: { once: 'chargedLate', last4: '0127' },
  tok_pending: { once: 'pending', last4: '5126' },
  tok_3ds: { once: 'requiresAction', last4: '3155' },
  tok_3ds_challenge: { once: 'requiresAction', last4: '3184', hasChallenge: true },
  tok_refund_pending: { once: 'charged', last4: '7726', refunds: 'pending' },
  tok_refund_fails: { once: 'charged', last4: '7734', refunds: 'failing' },
  tok_saved_expired: { once: 'charged', saved: expired, last4: '0069' },
  tok_saved_decline: { once: 'charged', saved: declined, last4: '0341' },
};

export const tokenNamed = (token: string): SandboxToken | undefined =>
  Object.hasOwn(tokens, token) ? tokens[token] : undefined;

export const unknownToken: NotDone & { readonly kind: 'refused' } = {
  kind: 'refused',
  code: 'unknown_token',
  message: 'unknown sandbox token',
};

/** What comes of a charge that is paid with this token, or with the method that was saved of it. */
export const outcomeOfToken = (token: string, isSaved: boolean, isOffSession = false): TokenOutcome => {
  const known = tokenNamed(token);
  if (!known) return unknownToken;
  const outcome = isSaved ? (known.saved ?? known.once) : known.once;
  return isOffSession && outcome === 'requiresAction' ? payerNeeded : outcome;
};
