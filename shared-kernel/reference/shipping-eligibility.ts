import type { Minor } from '#values/money.ts';
import { isServed, type Place } from './location.ts';
import type {
  ReferenceShippingOption,
  ReferenceWarehouse,
  SellableVariant,
  ShippingReference,
} from './reference.ts';

const isSame = (one: string, other: string): boolean => one.toUpperCase() === other.toUpperCase();

interface RulePlace {
  readonly countryCode: string;
  readonly regionCode: string | null;
}

/** How closely a rule of an option names a place: its region 3, its country 2, every country 1, not at all 0. */
export const closeness = (rule: RulePlace, place: Place): 0 | 1 | 2 | 3 => {
  if (rule.countryCode === '*') return rule.regionCode === null ? 1 : 0;
  if (!isSame(rule.countryCode, place.countryCode)) return 0;
  if (rule.regionCode === null) return 2;
  return place.regionCode !== null && isSame(rule.regionCode, place.regionCode) ? 3 : 0;
};

/**
 * What an option costs before surcharges: the cost of the region, the country, every country, or the fixed one; nothing
 * for a flat rate that names none. Null: the option is not offered there (docs/rules/shipping.md#cost).
 */
export const baseCost = (option: ReferenceShippingOption, place: Place): Minor | null => {
  let found: { readonly cost: Minor; readonly closeness: number } | null = null;
  for (const rule of option.costs) {
    const near = closeness(rule, place);
    if (near > (found?.closeness ?? 0)) found = { cost: rule.cost, closeness: near };
  }
  if (found) return found.cost;
  if (option.fixedCost !== null) return option.fixedCost;
  return option.providerKey === 'flat-rate' && option.costs.length === 0 ? 0 : null;
};

/** Whether an option may take parcels to a place at all. The postcode is not looked at. */
export const isEligible = (
  option: ReferenceShippingOption,
  warehouse: ReferenceWarehouse,
  place: Place,
): boolean =>
  option.isEnabled &&
  option.excludedRegions.every((rule) => closeness(rule, place) === 0) &&
  isServed(warehouse, place) &&
  baseCost(option, place) !== null;

/** The options of a warehouse that a variant's own restriction leaves. */
export const allowedOptions = (
  shipping: ShippingReference,
  { variant }: SellableVariant,
  warehouseId: string,
): readonly ReferenceShippingOption[] => {
  const options = shipping.optionsOf(warehouseId);
  switch (variant.shippingRestrictionMode) {
    case 'None':
      return options;
    case 'AllowList':
      return options.filter(({ id }) => variant.allowedShippingOptionIds.includes(id));
    case 'ExcludeList':
      return options.filter(({ id }) => !variant.excludedShippingOptionIds.includes(id));
  }
};
