import { withProviderTimeout } from '#command/engine/provider-timeout.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { NotDone } from '#ports/payment-requests.ts';
import type { Authorization } from '../../invoices/payments/authorizations.state.ts';
import type { AuthorizationOutcome, OpenAuthorization } from './settle-authorization.process.ts';

type Refused = Extract<NotDone, { readonly kind: 'refused' }>;

const cannot = (what: string): Refused => ({
  kind: 'refused',
  code: 'not_supported',
  message: `The provider cannot ${what} it. Do it there.`,
});

/** How the money stands at its provider. Null: not known. */
export const standingOf = async (
  { lookUp }: PaymentProvider,
  { transactionId }: Pick<Authorization, 'transactionId'>,
  patience: number,
): Promise<Exclude<AuthorizationOutcome, Refused> | { readonly kind: 'held' } | null> => {
  if (!lookUp) return { kind: 'held' };
  const found = await withProviderTimeout(lookUp({ transactionId }), patience);
  if (found.kind === 'notFound') return { kind: 'held' };
  if (found.kind !== 'found') return null;
  const { status, amountMinor: amount } = found.payment;
  if (status === 'completed') return { kind: 'captured', amount };
  if (status === 'cancelled') return { kind: 'released', reason: 'expired' };
  return status === 'authorized' ? { kind: 'held' } : null;
};

/** After a no the provider is asked how the money stands: it may have been taken, or let go, before. */
const afterNo = async (
  provider: PaymentProvider,
  { authorization, ask }: OpenAuthorization,
  no: Refused,
  patience: number,
): Promise<AuthorizationOutcome | null> => {
  const stands = await standingOf(provider, authorization, patience);
  if (stands?.kind === 'held') return no;
  return stands?.kind === 'released' && ask.kind === 'void' ? { ...stands, reason: 'voided' } : stands;
};

const capture = async (
  provider: PaymentProvider,
  { authorization, ask, currency }: OpenAuthorization,
  patience: number,
): Promise<AuthorizationOutcome | NotDone> => {
  if (ask.kind !== 'capture' || !provider.capture) return cannot('capture');
  const { transactionId } = authorization;
  const request = { idempotencyKey: ask.askId, transactionId, amountMinor: ask.amount, currency };
  const taken = await withProviderTimeout(provider.capture(request), patience);
  return taken.kind === 'completed' ? { kind: 'captured', amount: taken.amountMinor ?? ask.amount } : taken;
};

const letGo = async (
  provider: PaymentProvider,
  { authorization: { transactionId }, ask: { askId: idempotencyKey } }: OpenAuthorization,
  patience: number,
): Promise<AuthorizationOutcome | NotDone> => {
  if (!provider.void) return cannot('void');
  const told = await withProviderTimeout(provider.void({ idempotencyKey, transactionId }), patience);
  return told.kind === 'completed' ? { kind: 'released', reason: 'voided' } : told;
};

/** Asks the provider to take money that it has set aside, or to let it go. Null: not known, ask again. */
export const askForAuthorized =
  (provider: (alias: string) => PaymentProvider | undefined, patience: number) =>
  async (open: OpenAuthorization): Promise<AuthorizationOutcome | null> => {
    const asked = provider(open.authorization.provider);
    if (!asked) return null;
    const outcome = await (open.ask.kind === 'capture' ? capture : letGo)(asked, open, patience);
    if (outcome.kind === 'unavailable' || outcome.kind === 'unknownOutcome') return null;
    return outcome.kind === 'refused' ? afterNo(asked, open, outcome, patience) : outcome;
  };
