import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { Buyer } from '../../checkout/checkout.commands.ts';
import type { PaidFrom } from '../providers/order-request.ts';
import { createCharging, type Attempt } from './charging.ts';
import { isOwn, knownInvoice, type OwnInvoiceDeps } from './own-invoice.ts';

interface SavedPaymentDeps extends Pick<CommandDeps, 'apis'>, OwnInvoiceDeps {
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
    const { method, customerId, provider, isExpired } = await usableMethod(deps, asked, memberId);
    const standing = asked.invoiceId ? await knownInvoice(deps.settlement, asked.invoiceId) : null;
    if (
      standing &&
      !isOwn(deps, standing, basketId, meta.actor) &&
      standing.content.customerId !== customerId
    )
      throw new Rejection('not-yours', 'This invoice belongs to another customer.');
    if (isExpired)
      throw new Rejection('payment-method-expired', 'This payment method has expired. Choose another one.');
    const invoiceId =
      asked.invoiceId ?? (await deps.apis.checkout.placeOrder(basketId, buyer, meta)).invoiceId;
    const way =
      provider.methods.find(({ integration }) => integration === 'HostedFields') ?? provider.methods[0];
    const payment = {
      type: 'AttemptPayment',
      provider: provider.alias,
      method: way?.methodAlias ?? provider.alias,
      token: null,
      tokenHash: deps.keyedHash('saved-method', method.id),
      saved: { methodId: method.id, customerId, ...method.ids },
      ...defined({ ownAddress: asked.ownAddress, pages: asked.pages }),
    } as const;
    return charge(invoiceId, payment, meta);
  };
};
