import type { BasketView, BasketViewLine, ReferralDiscount } from '#events/basket-view.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import type { BasketPricing } from '#events/pricing.fields.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { PromisedReferral, TakeOffDiscount } from './basket.commands.ts';
import type { BasketContext } from './basket.context.ts';
import { existingBasket, type BasketState, type BasketStreamEvent } from './basket.state.ts';
import { withLess } from './priced-change.ts';

const { DiscountTakenOff, ReferralDiscountApplied, ReferralDiscountRemoved } = checkoutEvents.create;

/** A rule that is on a basket: a code, or a discount that came by itself. */
interface OnBasket {
  readonly discountId: string;
  readonly code: string | null;
  readonly name: string;
}

/** The referral whose discount line this is. */
const referralOn = ({ discounts, referrals }: BasketView, id: string): ReferralDiscount | undefined => {
  const line = discounts.find((taken) => taken.isReferral && taken.id === id)?.lineId;
  return referrals.find(({ lineId }) => lineId === line);
};

/** By the id of its rule, or of one of the lines that show what it takes off. */
const discountOn = ({ codes, discounts }: BasketView, id: string): OnBasket | undefined => {
  const taken = discounts.find((one) => !one.isReferral && (one.id === id || one.discountId === id));
  const discountId = taken?.discountId ?? id;
  return codes.find((code) => code.discountId === discountId) ?? taken;
};

/** Whether a line of the basket shows what a discount takes off. */
export const isDiscountLine = ({ discounts }: BasketView, lineId: string): boolean =>
  discounts.some(({ id }) => id === lineId);

/**
 * Takes a whole rule off, whichever of its lines is named. An automatic one stays off this basket
 * (docs/rules/discounts-in-the-basket.md#taking-off).
 */
export const takeOffDiscount = (
  state: BasketState,
  { id }: Pick<TakeOffDiscount, 'id'>,
  context: BasketContext,
): BasketStreamEvent[] => {
  const basket = existingBasket(state);
  const referral = referralOn(basket, id);
  if (referral !== undefined) {
    const { lineId, name } = referral;
    const referrals = basket.referrals.filter((other) => other !== referral);
    return withLess({ ...basket, referrals }, context, (pricing) => [
      ReferralDiscountRemoved({ lineId, name, reason: null, pricing }),
    ]);
  }
  const found = discountOn(basket, id);
  if (found === undefined) {
    const message = 'discountId: must be a discount of this basket.';
    throw new Rejection('discount-not-applicable', message, { errorCode: 'NotFound' });
  }
  const { discountId, code, name } = found;
  const isOther = (one: { readonly discountId: string }): boolean => one.discountId !== discountId;
  const without = {
    ...basket,
    codes: basket.codes.filter(isOther),
    discounts: basket.discounts.filter(isOther),
    suppressed: code === null ? [...basket.suppressed, discountId] : basket.suppressed,
  };
  return withLess(without, context, (pricing) => [DiscountTakenOff({ discountId, code, name, pricing })]);
};

const isFor = (
  { offerId }: PromisedReferral,
  { productId, sku }: Pick<BasketViewLine, 'productId' | 'sku'>,
): boolean => {
  const offered = offerId.toLowerCase();
  return offered === productId.toLowerCase() || offered === sku.toLowerCase();
};

/** What a link has promised for this line; null for what is over, for something else, or on the line already. */
export const promisedFor = (
  { referrals }: BasketView,
  line: Pick<BasketViewLine, 'lineId' | 'productId' | 'sku'>,
  promised: PromisedReferral | null | undefined,
  { now }: BasketContext,
): ReferralDiscount | null => {
  if (!promised || !isFor(promised, line) || promised.expiresAt <= now) return null;
  const { percentage, name, expiresAt } = promised;
  const referral = { lineId: line.lineId, percentage, name, expiresAt };
  return referrals.some((known) => isSameJson(known, referral)) ? null : referral;
};

/** The basket with a referral on its line: the only one there. */
export const withReferral = <View extends BasketView>(view: View, referral: ReferralDiscount | null): View =>
  referral === null
    ? view
    : {
        ...view,
        referrals: [...view.referrals.filter(({ lineId }) => lineId !== referral.lineId), referral],
      };

/** What the log says of it, behind the change that brought it and has the figures. */
export const referralApplied = (referral: ReferralDiscount | null, pricing: BasketPricing) =>
  referral === null
    ? []
    : [ReferralDiscountApplied({ ...referral, pricing: { ...pricing, changedLines: [] } })];
