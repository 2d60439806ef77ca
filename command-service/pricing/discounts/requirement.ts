import type { ReferenceDiscount } from '#reference/reference.ts';
import { formatMoney } from '#values/money.ts';
import { called, problem, type DiscountProblem } from './discount-problem.ts';
import { totalOf, type Piece } from './piece.ts';

/** Whether there is enough of what the rule is about, at undiscounted prices; all that is asked for must hold. */
export const requirementProblem = (
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
