import type { DiscountRule } from '#entities/discount.entity.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import { allocate, formatMoney, percentOf, type Minor } from '#values/money.ts';

/** Why a discount does not apply, by the names of docs/rules/discounts.md#refusals. */
export interface DiscountProblem {
  readonly errorCode:
    | 'NotFound'
    | 'Inactive'
    | 'NotStarted'
    | 'Expired'
    | 'UsageLimitReached'
    | 'MinimumRequirementNotMet'
    | 'NoApplicableProducts'
    | 'AlreadyApplied'
    | 'CannotCombine';
  readonly message: string;
}

/** What a rule is held against. */
export interface DiscountSituation {
  readonly subTotal: Minor;
  /** Pieces. */
  readonly quantity: number;
  readonly currency: string;
  readonly now: number;
}

const problem = (errorCode: DiscountProblem['errorCode'], message: string): DiscountProblem => ({
  errorCode,
  message,
});

/** The code as the shopper knows it, else the rule's name. */
const called = ({ rule }: ReferenceDiscount): string => rule.code ?? rule.name;

const datesProblem = (discount: ReferenceDiscount, now: number): DiscountProblem | null => {
  const { startsAt, endsAt } = discount.rule;
  if (Date.parse(startsAt) > now) return problem('NotStarted', `${called(discount)} cannot be used yet.`);
  if (endsAt !== null && Date.parse(endsAt) < now)
    return problem('Expired', `${called(discount)} has expired.`);
  return null;
};

const requirementProblem = (
  discount: ReferenceDiscount,
  situation: DiscountSituation,
): DiscountProblem | null => {
  const { requirementType, requirementValue, minimumPurchaseAmount, minimumQuantity } = discount.rule;
  const required = requirementValue ?? 0;
  const amount = Math.max(
    minimumPurchaseAmount ?? 0,
    requirementType === 'MinimumPurchaseAmount' ? required : 0,
  );
  if (situation.subTotal < amount) {
    const minimum = formatMoney(amount, situation.currency);
    return problem('MinimumRequirementNotMet', `${called(discount)} needs items for at least ${minimum}.`);
  }
  const pieces = Math.max(minimumQuantity ?? 0, requirementType === 'MinimumQuantity' ? required : 0);
  if (situation.quantity < pieces) {
    return problem('MinimumRequirementNotMet', `${called(discount)} needs at least ${pieces} items.`);
  }
  return null;
};

export const unknownCode = (code: string): DiscountProblem =>
  problem('NotFound', `There is no discount code ${code}.`);

/**
 * Whether a rule may be applied; the first rule that is broken wins (docs/rules/discounts.md#refusals). The dates of a
 * code come before its status, so that an expired one says so. The number of uses is advice: its stream decides.
 */
export const discountProblem = (
  discount: ReferenceDiscount,
  situation: DiscountSituation,
): DiscountProblem | null => {
  const { status, rule, uses } = discount;
  const byDates = datesProblem(discount, situation.now);
  if (byDates !== null && (rule.method === 'Code' || status === 'Active')) return byDates;
  // Scheduled and due counts as active: validity must not wait for the job that moves the status.
  if (status !== 'Active' && status !== 'Scheduled')
    return problem('Inactive', `${called(discount)} is not active.`);
  if (rule.totalUsageLimit !== null && uses >= rule.totalUsageLimit) {
    return problem('UsageLimitReached', `${called(discount)} has been used up.`);
  }
  return requirementProblem(discount, situation);
};

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

const combine = (one: DiscountRule, other: DiscountRule): boolean => allows(one, other) && allows(other, one);

/** What an order rule takes off the running subtotal (docs/rules/discounts.md#amount). */
const amountOffOrder = (rule: DiscountRule, running: Minor): Minor => {
  switch (rule.valueType) {
    case 'Percentage':
      return percentOf(running, rule.value);
    case 'FixedAmount':
      return Math.min(rule.value, running);
    case 'Free':
      return running;
  }
};

export interface SelectedDiscounts {
  /** In the order in which they apply. */
  readonly kept: readonly ReferenceDiscount[];
  /** Those that do not go with one that was kept, each with that one. */
  readonly dropped: readonly { readonly discount: ReferenceDiscount; readonly problem: DiscountProblem }[];
}

/**
 * Walks the valid rules by priority, the larger amount first among equals, and keeps each that goes with all that were
 * kept before it (docs/rules/discounts.md#combination).
 */
export const selectDiscounts = (valid: readonly ReferenceDiscount[], subTotal: Minor): SelectedDiscounts => {
  const worth = (discount: ReferenceDiscount): Minor => amountOffOrder(discount.rule, subTotal);
  const ordered = [...valid].sort((a, b) => a.rule.priority - b.rule.priority || worth(b) - worth(a));
  const kept: ReferenceDiscount[] = [];
  const dropped: SelectedDiscounts['dropped'][number][] = [];
  for (const discount of ordered) {
    const conflicting = kept.find((other) => !combine(discount.rule, other.rule));
    if (conflicting === undefined) kept.push(discount);
    else {
      const message = `${called(discount)} cannot be combined with ${called(conflicting)}.`;
      dropped.push({ discount, problem: problem('CannotCombine', message) });
    }
  }
  return { kept, dropped };
};

export interface AppliedDiscounts {
  /** What each rule takes off, in the order of application; rules that take off nothing are left out. */
  readonly taken: readonly { readonly discount: ReferenceDiscount; readonly amount: Minor }[];
  /** What is taken off each line, in the order of the lines; the parts sum to `productDiscount` exactly. */
  readonly perLine: readonly Minor[];
  readonly productDiscount: Minor;
}

/**
 * Applies the kept rules to the lines' totals: each order rule on what the ones before it have left. All of it is
 * spread over the lines in one go, so that no line is ever asked for more than it costs
 * (docs/rules/discounts.md#share-of-a-line).
 */
export const applyDiscounts = (
  kept: readonly ReferenceDiscount[],
  lineTotals: readonly Minor[],
): AppliedDiscounts => {
  const subTotal = lineTotals.reduce((sum, lineTotal) => sum + lineTotal, 0);
  const taken: AppliedDiscounts['taken'][number][] = [];
  let running = subTotal;
  for (const discount of kept) {
    const amount = amountOffOrder(discount.rule, running);
    if (amount === 0) continue;
    taken.push({ discount, amount });
    running -= amount;
  }
  const productDiscount = subTotal - running;
  return { taken, perLine: allocate(productDiscount, lineTotals), productDiscount };
};
