import type { DiscountRule } from '#entities/discount.entity.ts';
import { isEligible } from '#reference/eligibility.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import { formatMoney } from '#values/money.ts';
import { called, type DiscountProblem, problem } from './discount-problem.ts';
import type { DiscountSituation } from './situation.ts';
import { matching } from './target-matching.ts';
import { type Piece, totalOf } from './piece.ts';

/** Whether there is enough of what the rule is about, at undiscounted prices; all that is asked for must hold. */
const requirementProblem = (
  discount: ReferenceDiscount,
  matched: readonly Piece[],
  currency: string,
): DiscountProblem | null => {
  const { requirementType, requirementValue, minimumPurchaseAmount, minimumQuantity } = discount.rule;
  const required = requirementValue ?? 0;
  const amount = Math.max(
    minimumPurchaseAmount ?? 0,
    requirementType === 'MinimumPurchaseAmount' ? required : 0,
  );
  if (amount > 0 && matched.reduce((sum, piece) => sum + totalOf(piece), 0) < amount) {
    const minimum = formatMoney(amount, currency);
    return problem('MinimumRequirementNotMet', `${called(discount)} needs items for at least ${minimum}.`);
  }
  const pieces = Math.max(minimumQuantity ?? 0, requirementType === 'MinimumQuantity' ? required : 0);
  // Add-ons are no pieces.
  if (matched.reduce((sum, { isAddon, quantity }) => (isAddon ? sum : sum + quantity), 0) < pieces) {
    return problem('MinimumRequirementNotMet', `${called(discount)} needs at least ${pieces} items.`);
  }
  return null;
};

/** By the rule, for as long as it is what it is: all that are in force are asked whenever a basket is priced. */
const knownDates = new WeakMap<DiscountRule, { readonly from: number; readonly until: number }>();

const datesOf = (rule: DiscountRule) => {
  const found = knownDates.get(rule);
  if (found !== undefined) return found;
  const until = rule.endsAt === null ? Infinity : Date.parse(rule.endsAt);
  const dates = { from: Date.parse(rule.startsAt), until };
  knownDates.set(rule, dates);
  return dates;
};

const datesProblem = (discount: ReferenceDiscount, now: number): DiscountProblem | null => {
  const { from, until } = datesOf(discount.rule);
  if (from > now) return problem('NotStarted', `${called(discount)} cannot be used yet.`);
  if (until < now) return problem('Expired', `${called(discount)} has expired.`);
  return null;
};

/**
 * Whether a rule may be applied; the first that is broken wins (docs/rules/discounts.md#refusals). The dates of a code
 * come before its status, so that an expired one says so. The number of uses is advice: its stream decides.
 */
export const discountProblem = (
  discount: ReferenceDiscount,
  situation: DiscountSituation,
): DiscountProblem | null => {
  const { status, rule } = discount;
  const byDates = datesProblem(discount, situation.now);
  if (byDates !== null && (rule.method === 'Code' || status === 'Active')) return byDates;
  // Scheduled and due counts as active: validity must not wait for the job that moves the status.
  if (status !== 'Active' && status !== 'Scheduled')
    return problem('Inactive', `${called(discount)} is not active.`);
  if (byDates !== null) return byDates;
  if (rule.totalUsageLimit !== null && discount.uses >= rule.totalUsageLimit)
    return problem('UsageLimitReached', `${called(discount)} has been used up.`);
  if (!isEligible(rule, situation.buyer))
    return problem('CustomerNotEligible', `${called(discount)} is for certain customers only.`);
  return requirementProblem(discount, matching(rule, situation.pieces), situation.currency);
};
