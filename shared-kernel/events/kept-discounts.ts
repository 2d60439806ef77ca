import { findingInOrder } from '#kernel/in-order.ts';
import type { BasketPricing, TakenDiscount } from './pricing.fields.ts';

const isSameButAmount = (one: TakenDiscount, other: TakenDiscount): boolean =>
  one.id === other.id &&
  one.discountId === other.discountId &&
  one.lineId === other.lineId &&
  one.name === other.name &&
  one.code === other.code &&
  one.category === other.category &&
  one.isReferral === other.isReferral;

/**
 * What a basket costs as an event records it that comes after these discounts. What the basket had before is not
 * written out again: most of what automatic discounts take off is as it was, and would be most of the event.
 */
export const recordedAfter = (before: readonly TakenDiscount[], pricing: BasketPricing): BasketPricing => {
  if (before.length === 0 || pricing.discounts.length === 0) return pricing;
  const placeOf = findingInOrder(before);
  const discounts: TakenDiscount[] = [];
  const places: number[] = [];
  const amounts: number[] = [];
  for (const taken of pricing.discounts) {
    const place = placeOf((one) => one === taken || isSameButAmount(one, taken));
    places.push(place);
    if (place < 0) discounts.push(taken);
    else amounts.push(taken.amount);
  }
  return amounts.length === 0 ? pricing : { ...pricing, discounts, keptDiscounts: { places, amounts } };
};

/** All discounts after such an event; those that take off what they did are the very ones. */
export const discountsAfter = (
  before: readonly TakenDiscount[],
  { discounts, keptDiscounts }: BasketPricing,
): readonly TakenDiscount[] => {
  if (keptDiscounts === undefined) return discounts;
  const added = discounts.values();
  const amounts = keptDiscounts.amounts.values();
  return keptDiscounts.places.flatMap((place) => {
    if (place < 0) return added.next().value ?? [];
    const known = before[place];
    const { value: amount } = amounts.next();
    if (known === undefined || amount === undefined) return [];
    return known.amount === amount ? known : { ...known, amount };
  });
};
