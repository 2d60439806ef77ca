import { discountsDropped, priceable } from '#command/pricing/priceable.ts';
import { priceAnyway, priceBasket, type PricedBasket } from '#command/pricing/price-basket.ts';
import {
  allLost,
  requoteShipping,
  shippingRequoted,
  type RequotedShipping,
} from '#command/pricing/requote-shipping.ts';
import type { BasketView } from '#events/basket-view.ts';
import type { BasketPricing } from '#events/pricing.fields.ts';
import type { BasketContext } from './basket.context.ts';
import type { BasketStreamEvent } from './basket.state.ts';

const noShipping: RequotedShipping = { choices: [], lost: [], isComplete: false };

/** What was chosen for shipping, quoted for what the basket will hold. A basket without a choice asks nothing. */
const requoted = (basket: BasketView, { planShipping, now }: BasketContext): RequotedShipping =>
  basket.choices.length === 0 || basket.lines.length === 0
    ? noShipping
    : requoteShipping(basket.choices, planShipping(basket), now);

/**
 * A change, priced for what the basket will hold, and what follows from it as events of their own: shipping that costs
 * something else for other goods, choices and discounts that fell away.
 */
export const withConsequences = (
  basket: BasketView,
  context: BasketContext,
  change: (pricing: BasketPricing) => readonly BasketStreamEvent[],
): BasketStreamEvent[] => {
  const { lines, choices } = basket;
  const shipping = requoted(basket, context);
  const priced = priceBasket(priceable(basket, shipping.choices), context.prices);
  return consequences(choices, lines, shipping, priced, change);
};

/** The same where the basket will hold less than before: that is never refused, whatever it costs today. */
export const withLess = (
  basket: BasketView,
  context: BasketContext,
  change: (pricing: BasketPricing) => readonly BasketStreamEvent[],
): BasketStreamEvent[] => {
  const { lines, choices } = basket;
  const shipping = requoted(basket, context);
  const priced = priceAnyway(priceable(basket, shipping.choices), context.prices);
  return consequences(choices, lines, priced.isAsBefore ? allLost(choices) : shipping, priced, change);
};

const consequences = (
  made: BasketView['choices'],
  lines: BasketView['lines'],
  shipping: RequotedShipping,
  { pricing, dropped }: PricedBasket,
  change: (pricing: BasketPricing) => readonly BasketStreamEvent[],
): BasketStreamEvent[] => [
  ...change(pricing),
  ...(lines.length === 0 ? [] : shippingRequoted(made, shipping, pricing)),
  ...discountsDropped({ pricing, dropped }),
];
