import { FLAT_RATE } from '#values/carriers.ts';
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
  return option.providerKey === FLAT_RATE && option.costs.length === 0 ? 0 : null;
};

/** Whether a carrier may be asked what sending a product from a warehouse costs. */
export const mayAskCarriers = (
  shipping: ShippingReference,
  { root }: SellableVariant,
  warehouseId: string,
): boolean => root.allowExternalCarrierShipping && shipping.carriersOf(warehouseId).length > 0;

/** An option of a carrier needs no cost of its own where the carrier is asked. */
const hasPrice = (
  shipping: ShippingReference,
  option: ReferenceShippingOption,
  sellable: SellableVariant,
  place: Place,
): boolean => {
  const { providerKey, warehouseId } = option;
  if (providerKey === FLAT_RATE) return baseCost(option, place) !== null;
  if (!shipping.isCarrierOn(providerKey)) return false;
  const isAsked =
    mayAskCarriers(shipping, sellable, warehouseId) &&
    shipping.carriersOf(warehouseId).some((carrier) => carrier.providerKey === providerKey);
  return isAsked || baseCost(option, place) !== null;
};

/** Whether an option may take a product to a place at all. The postcode is not looked at. */
export const isEligible = (
  shipping: ShippingReference,
  option: ReferenceShippingOption,
  sellable: SellableVariant,
  warehouse: ReferenceWarehouse,
  place: Place,
): boolean =>
  option.isEnabled &&
  option.excludedRegions.every((rule) => closeness(rule, place) === 0) &&
  isServed(warehouse, place) &&
  hasPrice(shipping, option, sellable, place);

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
