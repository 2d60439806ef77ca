import type { TaxReference } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import { percentOf, ratioPercent, scale, type Minor } from '#values/money.ts';
import type { StoreSettings } from '#values/store-settings.ts';

/** How shipping is taxed for a destination (docs/rules/tax.md#shipping). Rates are percents. */
export type ShippingTaxRule =
  | { readonly mode: 'NotTaxed' }
  | { readonly mode: 'FixedRate'; readonly rate: number }
  | { readonly mode: 'Proportional' };

/**
 * What the shop says of this region or else this country comes first. Then the settings: not taxable: not taxed; a
 * shipping tax group: its rate; none: in proportion to the tax on the lines.
 */
export const resolveShippingTax = (
  settings: Pick<StoreSettings, 'isShippingTaxable' | 'shippingTaxGroupId'>,
  tax: TaxReference,
  destination: Destination,
): ShippingTaxRule => {
  const fixed = (taxGroupId: string): ShippingTaxRule => ({
    mode: 'FixedRate',
    rate: tax.rate(taxGroupId, destination),
  });
  const override = tax.shippingOverride(destination);
  if (override)
    return override.shippingTaxGroupId === null ? { mode: 'NotTaxed' } : fixed(override.shippingTaxGroupId);
  if (!settings.isShippingTaxable) return { mode: 'NotTaxed' };
  if (settings.shippingTaxGroupId === null) return { mode: 'Proportional' };
  return fixed(settings.shippingTaxGroupId);
};

export interface ShippingTax {
  readonly amount: Minor;
  /** Percent, four decimals; null unless proportional. */
  readonly effectiveRate: number | null;
  /** Percent, where the rate is fixed. */
  readonly fixedRate?: number;
}

/** The tax on a shipping cost. `lineTax` and `taxable` are sums over the taxable lines, after discounts. */
export const shippingTaxOn = (
  shipping: Minor,
  rule: ShippingTaxRule,
  lineTax: Minor,
  taxable: Minor,
): ShippingTax => {
  switch (rule.mode) {
    case 'NotTaxed':
      return { amount: 0, effectiveRate: null };
    case 'FixedRate':
      return { amount: percentOf(shipping, rule.rate), effectiveRate: null, fixedRate: rule.rate };
    case 'Proportional':
      return taxable === 0
        ? { amount: 0, effectiveRate: 0 }
        : { amount: scale(shipping, lineTax, taxable), effectiveRate: ratioPercent(lineTax, taxable) };
  }
};
