import type { DiscountProblem } from '#command/pricing/discounts/discount-problem.ts';
import { discountsDropped, priceable } from '#command/pricing/priceable.ts';
import { priceBasket } from '#command/pricing/price-basket.ts';
import type { BasketView } from '#events/basket-view.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { BasketStreamEvent } from '../../basket/basket.state.ts';
import type { ApplyDiscountCode } from '../checkout.commands.ts';
import type { CheckoutContext } from '../checkout.context.ts';

const { DiscountCodeApplied } = checkoutEvents.create;

export const usedUpByCustomer = 'You have used this discount as often as it allows.';

const refused = (errorCode: DiscountProblem['errorCode'] | 'CustomerUsageLimitReached', message: string) =>
  new Rejection('discount-not-applicable', message, { errorCode });

/** What is told before it is told that this customer has used a code too often. */
const comesFirst = ({ errorCode }: DiscountProblem): boolean =>
  ['NotFound', 'NotStarted', 'Expired', 'Inactive', 'UsageLimitReached'].includes(errorCode);

/** A code for free shipping waits for a shipping to take off. */
const isPending = ({ choices }: BasketView, { prices }: CheckoutContext, discountId: string): boolean =>
  choices.length === 0 && prices.discounts.get(discountId)?.rule.category === 'FreeShipping';

/** Adds a code, or says why not: then the basket stays as it is (docs/rules/discounts-in-the-basket.md#codes). */
export const applyCode = (
  basket: BasketView,
  { discountId, code, name, isUsedUpByCustomer }: ApplyDiscountCode,
  context: CheckoutContext,
): BasketStreamEvent[] => {
  const isApplied = basket.codes.some((applied) => applied.discountId === discountId);
  const codes = isApplied ? basket.codes : [...basket.codes, { discountId, code, name }];
  const priced = priceBasket(priceable({ ...basket, codes }, basket.choices), context.prices);
  const { pricing, dropped } = priced;
  const own = dropped.find((one) => one.kind === 'code' && one.discountId === discountId)?.problem;
  if (own && comesFirst(own)) throw refused(own.errorCode, own.message);
  if (isUsedUpByCustomer) {
    throw refused('CustomerUsageLimitReached', usedUpByCustomer);
  }
  if (own) throw refused(own.errorCode, own.message);
  if (isApplied) throw refused('AlreadyApplied', `${code} has been applied already.`);
  const takesOff = pricing.discounts.some((taken) => taken.discountId === discountId);
  if (!takesOff && !isPending(basket, context, discountId)) {
    throw refused('NoApplicableProducts', `${code} does not apply to this basket.`);
  }
  return [DiscountCodeApplied({ discountId, code, name, pricing }), ...discountsDropped(priced)];
};
