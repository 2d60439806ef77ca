import { withProviderTimeout, PROVIDER_TIMEOUT_MILLISECONDS } from '#command/engine/provider-timeout.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { ChargeOutcome, ChargeRequest, FoundPayment, ProviderPayment } from '#ports/payment-requests.ts';
import type { PaymentReferences } from './payment-references.ts';

interface Authorised {
  readonly transactionId: string;
  readonly amountMinor: number;
  readonly currency: string;
}

/** Set so, it sets money aside; staff take it later (docs/rules/authorizations.md). */
const capturesLater = (provider: PaymentProvider): boolean => provider.capturesLater?.() ?? false;

/**
 * Money that a provider has only set aside is taken at once, unless it is set to do so later. What cannot be taken is
 * let go. Its keys follow from `named`; asked again with the same, it goes on where it stood.
 */
const takeAuthorised = async (
  provider: PaymentProvider,
  { transactionId, amountMinor, currency }: Authorised,
  named: readonly string[],
): Promise<
  | { readonly kind: 'completed'; readonly transactionId: string }
  | Exclude<ChargeOutcome, { kind: 'completed' }>
> => {
  // Without a way to take it, it has been taken: the provider does that by itself.
  if (!provider.capture) return { kind: 'completed', transactionId };
  const idempotencyKey = derivedId('capture', ...named);
  const taken = await withProviderTimeout(
    provider.capture({ idempotencyKey, transactionId, amountMinor, currency }),
    PROVIDER_TIMEOUT_MILLISECONDS,
  );
  if (taken.kind === 'refused' && provider.void) {
    const undone = provider.void({ idempotencyKey: derivedId('void', ...named), transactionId });
    await withProviderTimeout(undone, PROVIDER_TIMEOUT_MILLISECONDS);
  }
  // Set aside it is, all the same: to take it is asked again.
  return taken.kind === 'unavailable' ? { kind: 'unknownOutcome' } : taken;
};

/** Charges, and takes what was only set aside; after a purchase always. */
export const chargeAndTake = async (
  provider: PaymentProvider,
  request: ChargeRequest,
  patience: number,
): Promise<ChargeOutcome> => {
  if (!provider.charge) return { kind: 'unknownOutcome' };
  const outcome = await withProviderTimeout(provider.charge(request), patience);
  if (outcome.kind !== 'authorized') return outcome;
  if (capturesLater(provider) && !request.isOffSession) return outcome;
  const { amountMinor, currency, idempotencyKey } = request;
  const taken = await takeAuthorised(provider, { ...outcome, amountMinor, currency }, [idempotencyKey]);
  return taken.kind === 'completed' ? { ...outcome, ...taken } : taken;
};

/** What is known of a payment in the end: money that is only set aside has been taken, or is to be taken later. */
export const settledPayment = async (
  provider: PaymentProvider,
  found: FoundPayment,
): Promise<FoundPayment> => {
  if (found.kind !== 'found' || found.payment.status !== 'authorized' || capturesLater(provider))
    return found;
  const { payment } = found;
  const taken = await takeAuthorised(provider, payment, [provider.alias, payment.transactionId]);
  const as = (status: ProviderPayment['status'], message: string | null = null): FoundPayment => ({
    kind: 'found',
    payment: { ...payment, status, message },
  });
  switch (taken.kind) {
    case 'completed':
      return as('completed');
    case 'refused':
      return as('failed', taken.message);
    default:
      return as('pending');
  }
};

/** What a session or transaction of a provider is about. */
export interface Meant {
  /** null: none that the shop knows. */
  readonly invoiceId: string | null;
  /** Of a basket of the shop that has no order yet: an intent of a wallet. */
  readonly isToBeOrdered: boolean;
}

/** The order of a basket: its invoice, null without one; undefined: there is no such basket. */
export type OrderOfBasket = (basketId: string) => Promise<string | null | undefined>;

const nobody: Meant = { invoiceId: null, isToBeOrdered: false };

/**
 * The subject of a provider's session or transaction, by the shop's rows, else by the provider's word: the invoice
 * that it names, or that of the basket. `toAsk` may refuse the call. Errors: Rejection `provider-unavailable`,
 * because silence does not mean that it is unknown.
 */
export const createInvoiceFinder =
  (
    references: Pick<PaymentReferences, 'find'>,
    provider: (alias: string) => PaymentProvider | undefined,
    orderOf: OrderOfBasket,
  ) =>
  async (alias: string, reference: string, toAsk?: () => Promise<void>): Promise<Meant> => {
    const kept = await references.find(alias, reference);
    if (kept !== null) return { ...nobody, invoiceId: kept };
    const asked = provider(alias);
    if (!asked?.lookUp) return nobody;
    await toAsk?.();
    const found = await withProviderTimeout(
      asked.lookUp({ transactionId: reference }),
      PROVIDER_TIMEOUT_MILLISECONDS,
    );
    if (found.kind !== 'found' && found.kind !== 'notFound')
      throw new Rejection('provider-unavailable', 'The payment provider cannot be reached. Try again.');
    if (found.kind !== 'found') return nobody;
    const { invoiceId, basketId } = found.payment;
    if (invoiceId !== null || basketId === null) return { ...nobody, invoiceId };
    const order = await orderOf(basketId);
    return { invoiceId: order ?? null, isToBeOrdered: order === null };
  };
