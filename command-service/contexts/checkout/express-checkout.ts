import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { UnavailableItem } from '#command/pricing/shipping-plan.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isCountry } from '#values/region.ts';
import type { ExpressCustomer, ExpressBasket } from './checkout.commands.ts';
import { changeAddresses, type AddressesFrom } from './change-addresses.ts';
import { findBasket, type CheckoutDeps } from './found-basket.ts';
import type { shippingActions } from './checkout-shipping.actions.ts';

type ShippingActions = ReturnType<typeof shippingActions>;

const chooseAgain = (): Rejection =>
  new Rejection(
    'shipping-not-selected',
    'Your shipping option is no longer available. Choose shipping again.',
  );

/** Goods that are gone are gone wherever they were to go. */
const tellGoodsGone = (error: unknown): never => {
  if (!(error instanceof Rejection) || error.code !== 'cannot-ship') throw error;
  const items = (error.details['unavailableItems'] ?? []) as readonly UnavailableItem[];
  if (!items.some(({ reason }) => reason === 'stock')) throw error;
  throw new Rejection('items-unavailable', error.message, { unavailableItems: items });
};

/** With what was chosen where that is complete, else with the cheapest of each group. Nothing is recorded. */
const figures =
  ({ shipping, estimateShipping }: ShippingActions) =>
  async (basketId: string | null): Promise<ExpressBasket> => {
    const { found, plan } = await shipping(basketId);
    const { basket } = found;
    const chosen = new Set(basket.choices.map(({ groupId }) => groupId));
    if (plan.groups.every(({ groupId }) => chosen.has(groupId))) return found;
    return estimateShipping(basketId, basket.destination);
  };

/**
 * Takes over what a wallet says of its owner, and chooses the cheapest shipping where nothing was chosen. Nothing is
 * recorded where something cannot be sent there. Errors: `basket-not-found`, `cannot-ship`, `invalid-address`.
 */
const prepare =
  (deps: CheckoutDeps, { estimateShipping, initialize }: ShippingActions) =>
  async (
    basketId: string | null,
    customer: ExpressCustomer,
    from: AddressesFrom,
    meta: CommandMeta,
  ): Promise<{ readonly basketId: string }> => {
    const found = await findBasket(deps, basketId);
    if (found.hasLostShipping) throw chooseAgain();
    const { shippingAddress, billingAddress, email } = customer;
    const address = shippingAddress ?? billingAddress;
    // Given before, at the till.
    if (address === null && found.basket.email !== null) return found;
    const countryCode = address?.countryCode?.trim().toUpperCase() ?? '';
    if (isCountry(countryCode)) {
      const regionCode = address?.regionCode?.trim().toUpperCase() ?? null;
      await estimateShipping(basketId, {
        countryCode,
        regionCode: regionCode === '' ? null : regionCode,
      }).catch(tellGoodsGone);
    }
    const given = {
      email,
      billingAddress: billingAddress ?? shippingAddress,
      shippingAddress: address,
      shippingSameAsBilling: false,
    };
    const { changed } = await changeAddresses(deps)(found.basketId, given, from, meta);
    await initialize(changed.basketId, { countryCode, autoSelectShipping: true }, meta);
    return changed;
  };

/** Checkout with a wallet, in one step (docs/rules/express-checkout.md). */
export const createExpressCheckout = (deps: CheckoutDeps, actions: ShippingActions) => ({
  expressBasket: figures(actions),
  prepareExpress: prepare(deps, actions),
});
