import { discountsDropped, priceable } from '#command/pricing/priceable.ts';
import {
  priceAnyway,
  priceBasket,
  type PricedAnyway,
  type PricedBasket,
} from '#command/pricing/price-basket.ts';
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

/** A change, priced for what the basket will hold. */
type PricedChange = (
  basket: BasketView,
  context: BasketContext,
  change: (pricing: BasketPricing) => readonly BasketStreamEvent[],
) => BasketStreamEvent[];

const pricedBy =
  (
    price: (...basket: Parameters<typeof priceBasket>) => PricedBasket & Partial<PricedAnyway>,
  ): PricedChange =>
  (basket, context, change) => {
    const { lines, choices } = basket;
    const asked = requoted(basket, context);
    const { pricing, dropped, isAsBefore } = price(priceable(basket, asked.choices), context.prices);
    const shipping = isAsBefore ? allLost(choices) : asked;
    return [
      ...change(pricing),
      ...(lines.length === 0 ? [] : shippingRequoted(choices, shipping, pricing)),
      ...discountsDropped({ pricing, dropped }),
    ];
  };

/**
 * A change and what follows from it, as events of their own: shipping that costs something else for other goods,
 * choices and discounts that fell away.
 */
export const withConsequences = pricedBy(priceBasket);

/** Like `withPrices`, for a basket that will hold less than before: never refused, whatever it costs today. */
export const withLess = pricedBy(priceAnyway);
