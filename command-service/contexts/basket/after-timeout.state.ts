import { discountsDropped, priceable } from '#command/pricing/priceable.ts';
import { priceAnyway } from '#command/pricing/price-basket.ts';
import type { BasketPrices } from '#command/pricing/basket-prices.ts';
import { hasTimedOutShipping } from '#events/basket-session.ts';
import { changedBasket, type BasketChange } from '#events/basket-view.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { isTimedOut, type SessionTimeouts } from '#values/checkout-session.ts';
import { editableBasket, type BasketState, type BasketStreamEvent } from './basket.state.ts';

/** What timeouts ask of a decision's context. */
export interface TimesOut {
  readonly prices: BasketPrices;
  readonly timeouts: SessionTimeouts;
}

const { ShippingRequoted } = checkoutEvents.create;

/** Every choice of shipping falls away; nothing else does. */
const shippingLost = (basket: NonNullable<BasketState['basket']>, prices: BasketPrices): BasketChange[] => {
  const lost = basket.choices.map(({ groupId, optionKey, name }) => ({
    groupId,
    optionKey,
    name,
    reason: `${name} was chosen too long ago. Choose again how it is shipped.`,
  }));
  const priced = priceAnyway(priceable({ ...basket, session: null }, []), prices);
  return [ShippingRequoted({ choices: [], lost, pricing: priced.pricing }), ...discountsDropped(priced)];
};

/**
 * Decides on a basket whose checkout may have timed out: what was chosen for shipping is gone then, and that stands in
 * the log before what is decided. A refusal records nothing (docs/rules/checkout.md#timeouts).
 */
export const afterTimeout = (
  state: BasketState,
  { prices, timeouts }: TimesOut,
  decide: (state: BasketState) => readonly BasketStreamEvent[],
): readonly BasketStreamEvent[] => {
  const session = state.basket?.session ?? null;
  if (session === null || !isTimedOut(session, timeouts, prices.now)) return decide(state);
  const found = editableBasket(state);
  if (found === null) return decide(state);
  const { basket } = found;
  // Nothing was chosen: the checkout begins with the next choice.
  if (!hasTimedOutShipping(basket, timeouts, prices.now))
    return decide({ ...found, basket: { ...basket, session: null } });
  const lost = shippingLost(basket, prices);
  const rest = { ...lost.reduce(changedBasket, basket), session: null };
  return [...lost, ...decide({ ...found, status: 'open', basket: rest, hasLostShipping: true })];
};
