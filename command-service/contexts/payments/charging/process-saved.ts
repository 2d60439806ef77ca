import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { Buyer } from '../../checkout/checkout.commands.ts';
import type { CardPayment } from '../../invoices/payments/payment.commands.ts';
import type { PaidFrom } from '../providers/order-request.ts';
import { createCharging, type Attempt } from './charging.ts';
import { isOwn, knownInvoice, type OwnInvoiceDeps } from './own-invoice.ts';

export interface SavedPaymentDeps extends Pick<CommandDeps, 'apis'>, OwnInvoiceDeps {
  readonly providers: () => readonly PaymentProvider[];
}

export interface SavedPayment {
  readonly invoiceId?: string | null | undefined;
  readonly savedPaymentMethodId: string;
  readonly providerAlias?: string | null | undefined;
}

interface AskedPayment extends SavedPayment, PaidFrom {}

/** Errors: `invalid-request` where the method's provider is off, or saves nothing any more. */
const vaultOf = ({ providers }: SavedPaymentDeps, alias: string, asked: string | null): PaymentProvider => {
  if (asked !== null && asked !== alias)
    throw new Rejection('invalid-request', `providerAlias: must be ${alias}, which has the saved method.`);
  const provider = providers().find((one) => one.alias === alias);
  if (provider?.vault && provider.charge) return provider;
  throw new Rejection(
    'invalid-request',
    'Saved payment methods of this provider cannot be used at the moment.',
  );
};

/** A method that may be charged by this member. Errors: also `payment-method-not-found`, `not-yours`. */
const usableMethod = async (
  deps: SavedPaymentDeps,
  { savedPaymentMethodId, providerAlias }: SavedPayment,
  memberId: string,
) => {
  const { members, savedMethods } = deps.apis;
  const [found, customerId] = await Promise.all([
    savedMethods.byId(savedPaymentMethodId),
    members.customerOf(memberId),
  ]);
  if (found === null)
    throw new Rejection('payment-method-not-found', 'There is no such saved payment method.');
  if (found.customerId !== customerId)
    throw new Rejection('not-yours', 'This payment method belongs to another customer.');
  return { ...found, provider: vaultOf(deps, found.method.provider, providerAlias ?? null) };
};

type UsableMethod = Awaited<ReturnType<typeof usableMethod>>;

/** Errors: those of `usableMethod`, and `payment-method-expired`. */
export const chargeableMethod = async (
  deps: SavedPaymentDeps,
  asked: SavedPayment,
  memberId: string,
): Promise<UsableMethod> => {
  const usable = await usableMethod(deps, asked, memberId);
  refuseExpired(usable);
  return usable;
};

const refuseExpired = ({ isExpired }: UsableMethod): void => {
  if (isExpired)
    throw new Rejection('payment-method-expired', 'This payment method has expired. Choose another one.');
};

/** The method of a provider that its saved ones are charged by. */
export const savedWayOf = ({ alias, methods }: Pick<PaymentProvider, 'alias' | 'methods'>): string =>
  (methods.find(({ integration }) => integration === 'HostedFields') ?? methods[0])?.methodAlias ?? alias;

/** Asks for a charge; the invoice recognises a repeat. */
export const attemptWith = (
  { keyedHash }: Pick<CommandDeps, 'keyedHash'>,
  { method, customerId, provider }: UsableMethod,
  { ownAddress, pages }: PaidFrom,
): CardPayment => ({
  type: 'AttemptPayment',
  provider: provider.alias,
  method: savedWayOf(provider),
  token: null,
  tokenHash: keyedHash('saved-method', method.id),
  saved: { methodId: method.id, customerId, ...method.ids },
  ...defined({ ownAddress, pages }),
});

/** Charges a method that the customer has saved (docs/rules/saved-methods.md#paying). */
export const createProcessSaved = (deps: SavedPaymentDeps & Pick<CommandDeps, 'keyedHash'>) => {
  const charge = createCharging(deps);
  return async (
    basketId: string | null,
    asked: AskedPayment,
    buyer: Buyer,
    meta: CommandMeta,
  ): Promise<Attempt> => {
    const memberId = meta.actor.id ?? '';
    const usable = await usableMethod(deps, asked, memberId);
    const standing = asked.invoiceId ? await knownInvoice(deps.settlement, asked.invoiceId) : null;
    if (
      standing &&
      !isOwn(deps, standing, basketId, meta.actor) &&
      standing.content.customerId !== usable.customerId
    )
      throw new Rejection('not-yours', 'This invoice belongs to another customer.');
    refuseExpired(usable);
    const invoiceId =
      asked.invoiceId ?? (await deps.apis.checkout.placeOrder(basketId, buyer, meta)).invoiceId;
    return charge(invoiceId, attemptWith(deps, usable, asked), meta);
  };
};
