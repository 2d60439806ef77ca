import type { ReferenceDiscount } from '#reference/reference.ts';

/** Why a discount does not apply, by the names of docs/rules/discounts.md#refusals. */
export interface DiscountProblem {
  readonly errorCode:
    | 'NotFound'
    | 'Inactive'
    | 'NotStarted'
    | 'Expired'
    | 'UsageLimitReached'
    | 'CustomerNotEligible'
    | 'MinimumRequirementNotMet'
    | 'NoApplicableProducts'
    | 'AlreadyApplied'
    | 'CannotCombine';
  readonly message: string;
}

export const problem = (errorCode: DiscountProblem['errorCode'], message: string): DiscountProblem => ({
  errorCode,
  message,
});

/** The code as the shopper knows it, else the rule's name. */
export const called = ({ rule }: ReferenceDiscount): string => rule.code ?? rule.name;

export const unknownCode = (code: string): DiscountProblem =>
  problem('NotFound', `There is no discount code ${code}.`);

export const withdrawn = (name: string): DiscountProblem =>
  problem('NotFound', `${name} is not offered any more.`);

export const withoutEffect = (discount: ReferenceDiscount): DiscountProblem =>
  problem('NoApplicableProducts', `${called(discount)} does not apply to this basket.`);

export const conflict = (discount: ReferenceDiscount, other: ReferenceDiscount): DiscountProblem =>
  problem('CannotCombine', `${called(discount)} cannot be combined with ${called(other)}.`);
