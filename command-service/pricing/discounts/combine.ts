import type { DiscountRule } from '#entities/discount.entity.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import type { Minor } from '#values/money.ts';
import { byText } from './piece.ts';

const allows = (rule: DiscountRule, other: DiscountRule): boolean => {
  switch (other.category) {
    case 'AmountOffProducts':
    case 'BuyXGetY':
      return rule.canCombineWithProductDiscounts;
    case 'AmountOffOrder':
      return rule.canCombineWithOrderDiscounts;
    case 'FreeShipping':
      return rule.canCombineWithShippingDiscounts;
  }
};

export const combine = (one: DiscountRule, other: DiscountRule): boolean =>
  allows(one, other) && allows(other, one);

/** A rule that may be applied, with what it takes off the whole basket when it is alone. */
export interface Candidate {
  readonly discount: ReferenceDiscount;
  readonly amount: Minor;
}

const byRank = ({ discount: a, amount: one }: Candidate, { discount: b, amount: other }: Candidate): number =>
  a.rule.priority - b.rule.priority ||
  Number(a.rule.method === 'Automatic') - Number(b.rule.method === 'Automatic') ||
  other - one ||
  byText(a.createdAt, b.createdAt) ||
  byText(a.id, b.id);

/** The rule among these with which another does not go. */
export const conflicting = <Kept extends Candidate>(
  { rule }: ReferenceDiscount,
  kept: readonly Kept[],
): Kept | undefined => kept.find(({ discount }) => !combine(rule, discount.rule));

/**
 * Walks candidates by rank and keeps each that goes with all that were kept before it
 * (docs/rules/discounts.md#combination).
 */
export const select = <Kind extends Candidate>(candidates: readonly Kind[]): readonly Kind[] => {
  const kept: Kind[] = [];
  for (const candidate of [...candidates].sort(byRank))
    if (conflicting(candidate.discount, kept) === undefined) kept.push(candidate);
  return kept;
};
