import type { TaxResponse } from '#values/tax-response.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { Destination } from '#values/address.ts';
import type { Minor } from '#values/money.ts';

/** What tax is on: the lines with their amounts after discounts, and the shipping. */
export interface TaxBasis {
  readonly lines: readonly { readonly lineId: string; readonly amount: Minor; readonly isTaxable: boolean }[];
  readonly shipping: Minor;
}

/** Why a basket is taxed by the shop's own rates although a provider is to say it. */
export type TaxEstimation =
  | 'ShippingAddressMissing'
  | 'ProviderUnavailable'
  | 'ProviderEstimate'
  /** What was asked about has changed since. */
  | 'BasketChanged';

/** What is known of the tax that a provider is to say (docs/rules/tax.md#providers). */
export type ProviderTax =
  | { readonly kind: 'estimated'; readonly reason: TaxEstimation }
  /** Holds for what was asked about, and for nothing else. */
  | {
      readonly kind: 'answered';
      readonly basis: TaxBasis;
      readonly destination: Destination;
      readonly answer: TaxResponse;
    };

export const estimated = (reason: TaxEstimation): ProviderTax => ({ kind: 'estimated', reason });

/** What the provider said of just this; null: the own rates hold. */
export const taxResponseFor = (tax: ProviderTax, basis: TaxBasis): TaxResponse | null =>
  tax.kind === 'answered' && isSameJson(tax.basis, basis) ? tax.answer : null;

/** Why the tax is only estimated; null where it is what the provider said. */
export const estimationOf = (tax: ProviderTax, answer: TaxResponse | null): TaxEstimation | null => {
  if (answer === null) return tax.kind === 'estimated' ? tax.reason : 'BasketChanged';
  return answer.isEstimated ? 'ProviderEstimate' : null;
};
