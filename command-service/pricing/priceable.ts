import { knownEmail, type BasketView } from '#events/basket-view.ts';
import { checkoutEvents, type CheckoutEvent } from '#events/checkout.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { BasketPricing } from '#events/pricing.fields.ts';
import type { DroppedDiscount } from './discounts/discount-basket.ts';
import type { PriceableBasket, PricedBasket } from './price-basket.ts';
import { shippingCost } from './requote-shipping.ts';

/** Of a basket, all that its price depends on. */
export type PricedView = Pick<
  BasketView,
  | 'lines'
  | 'codes'
  | 'discounts'
  | 'suppressed'
  | 'referrals'
  | 'customerId'
  | 'segmentIds'
  | 'session'
  | 'email'
  | 'captured'
>;

/** A checkout begins with the first choice of shipping, unless another change of checkout came before it. */
const sessionFor = (
  { session }: PricedView,
  choices: BasketView['choices'],
): Pick<PriceableBasket, 'session'> => {
  if (session !== null) return { session: 'goesOn' };
  return choices.length > 0 ? { session: 'begins' } : {};
};

/** A basket as it is priced, for the shipping that is to be charged. */
export const priceable = (view: PricedView, choices: BasketView['choices']): PriceableBasket => {
  const { lines, codes, discounts, suppressed, referrals, customerId, segmentIds } = view;
  return {
    lines,
    codes,
    discounts,
    suppressed,
    referrals,
    buyer: { customerId, segmentIds },
    shipping: shippingCost(choices),
    shippingOptions: choices.map(({ optionKey }) => optionKey),
    ...sessionFor(view, choices),
    ...(knownEmail(view) !== null && { hasEmail: true }),
  };
};

/** The rules that a basket knows: those of its codes, and those that came by themselves. */
export const discountIdsOf = ({ codes, discounts }: Pick<BasketView, 'codes' | 'discounts'>): Set<string> => {
  const ids = new Set(codes.map(({ discountId }) => discountId));
  for (const { discountId, isReferral } of discounts) if (!isReferral) ids.add(discountId);
  return ids;
};

const { AutomaticDiscountDropped, DiscountCodeRemoved, ReferralDiscountRemoved } = checkoutEvents.create;

type Dropped = EventOfType<
  CheckoutEvent,
  'AutomaticDiscountDropped' | 'DiscountCodeRemoved' | 'ReferralDiscountRemoved'
>;

const droppedEvent = (one: DroppedDiscount, pricing: BasketPricing): Dropped => {
  const reason = one.problem.message;
  switch (one.kind) {
    case 'code':
      return DiscountCodeRemoved({ discountId: one.discountId, code: one.code, reason, pricing });
    case 'automatic':
      return AutomaticDiscountDropped({
        discountId: one.discountId,
        name: one.name,
        reason,
        staysOff: false,
        pricing,
      });
    case 'referral':
      return ReferralDiscountRemoved({ lineId: one.lineId, name: one.name, reason, pricing });
  }
};

/** What the log says of the discounts that fell away when a basket was priced; figures stand in the event before. */
export const discountsDropped = ({ pricing, dropped }: PricedBasket): Dropped[] =>
  dropped.map((one) => droppedEvent(one, { ...pricing, changedLines: [] }));
