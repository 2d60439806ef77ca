import type { Destination } from '#values/address.ts';
import { findRegion, isCountry } from '#values/region.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { ReferenceWarehouse, ShippingReference } from './reference.ts';

type ServiceRegion = ReferenceWarehouse['serviceRegions'][number];

const anyIncluded = (rules: readonly ServiceRegion[], countryCode: string): boolean => {
  // A rule for the very country beats one for all countries.
  const exact = rules.filter((rule) => rule.countryCode === countryCode);
  return (exact.length > 0 ? exact : rules).some((rule) => !rule.isExcluded);
};

/**
 * Whether a warehouse delivers to a place (decisions, storefront 2.1): without rules everywhere; else the rules for the
 * region decide, then those for the country. Codes are upper case.
 */
export const servesPlace = (
  { serviceRegions }: Pick<ReferenceWarehouse, 'serviceRegions'>,
  countryCode: string,
  regionCode: string | null,
): boolean => {
  if (serviceRegions.length === 0) return true;
  const ofCountry = serviceRegions.filter(
    (rule) => rule.countryCode === countryCode || rule.countryCode === '*',
  );
  const ofRegion = ofCountry.filter((rule) => rule.regionCode !== null && rule.regionCode === regionCode);
  if (ofRegion.length > 0) return anyIncluded(ofRegion, countryCode);
  const ofWholeCountry = ofCountry.filter((rule) => rule.regionCode === null);
  return ofWholeCountry.length > 0 && anyIncluded(ofWholeCountry, countryCode);
};

/** Whether the shop delivers anywhere in a country: also when a warehouse serves some of its regions only. */
export const isShippingCountry = (shipping: ShippingReference, countryCode: string): boolean =>
  isCountry(countryCode) &&
  shipping
    .warehouses()
    .some(
      (warehouse) =>
        shipping.optionsOf(warehouse.id).some((option) => option.isEnabled) &&
        (servesPlace(warehouse, countryCode, null) ||
          warehouse.serviceRegions.some((rule) => rule.countryCode === countryCode && !rule.isExcluded)),
    );

/** What a shopper's cookies say of where they are. */
export interface ChosenPlace {
  readonly countryCode?: string | undefined;
  readonly regionCode?: string | undefined;
}

/**
 * Where a shopper is taken to be: the chosen country, else the store's default, else US (decisions, storefront 1.7). A
 * country that the shop does not deliver to, or a region that the country does not have, is dropped.
 */
export const currentLocation = (
  chosen: ChosenPlace,
  settings: Pick<StoreSettings, 'defaultShippingCountry'>,
  shipping: ShippingReference,
): Destination => {
  const candidate = chosen.countryCode?.toUpperCase();
  if (candidate !== undefined && isShippingCountry(shipping, candidate)) {
    const region = chosen.regionCode === undefined ? null : findRegion(candidate, chosen.regionCode);
    return { countryCode: candidate, regionCode: region?.code ?? null, postalCode: null };
  }
  return { countryCode: settings.defaultShippingCountry ?? 'US', regionCode: null, postalCode: null };
};
