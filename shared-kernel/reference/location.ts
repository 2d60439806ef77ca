import type { Destination } from '#values/address.ts';
import { findRegion, isCountry } from '#values/region.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { ReferenceWarehouse, ShippingReference } from './reference.ts';

type ServiceRegion = ReferenceWarehouse['serviceRegions'][number];

/** A country, and a region of it where one is known. */
export interface Place {
  readonly countryCode: string;
  readonly regionCode: string | null;
}

/** A place with the names that people read. */
export interface Location extends Place {
  readonly countryName: string;
  readonly regionName: string | null;
}

const isSame = (one: string, other: string): boolean => one.toUpperCase() === other.toUpperCase();

const anyIncluded = (rules: readonly ServiceRegion[], countryCode: string): boolean => {
  // A rule for the very country beats one for all countries.
  const exact = rules.filter((rule) => isSame(rule.countryCode, countryCode));
  return (exact.length > 0 ? exact : rules).some((rule) => !rule.isExcluded);
};

/**
 * Whether a warehouse delivers to a place (decisions, storefront 2.1): without rules everywhere; else the rules for the
 * region decide, then those for the country. An empty country is served by none.
 */
export const isServed = (
  { serviceRegions }: Pick<ReferenceWarehouse, 'serviceRegions'>,
  { countryCode, regionCode }: Place,
): boolean => {
  if (countryCode === '') return false;
  if (serviceRegions.length === 0) return true;
  const ofCountry = serviceRegions.filter(
    (rule) => rule.countryCode === '*' || isSame(rule.countryCode, countryCode),
  );
  const ofRegion = ofCountry.filter(
    (rule) => rule.regionCode !== null && regionCode !== null && isSame(rule.regionCode, regionCode),
  );
  if (ofRegion.length > 0) return anyIncluded(ofRegion, countryCode);
  const ofWholeCountry = ofCountry.filter((rule) => rule.regionCode === null);
  return ofWholeCountry.length > 0 && anyIncluded(ofWholeCountry, countryCode);
};

const servesSomeOf = (warehouse: ReferenceWarehouse, countryCode: string): boolean =>
  isServed(warehouse, { countryCode, regionCode: null }) ||
  warehouse.serviceRegions.some((rule) => isSame(rule.countryCode, countryCode) && !rule.isExcluded);

/** Whether the shop delivers anywhere in a country, be it to some of its regions only (decisions, storefront 2.2). */
export const isShippingCountry = (shipping: ShippingReference, countryCode: string): boolean =>
  isCountry(countryCode) &&
  shipping
    .warehouses()
    .some(
      (warehouse) =>
        shipping.optionsOf(warehouse.id).some((option) => option.isEnabled) &&
        servesSomeOf(warehouse, countryCode),
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
    return { countryCode: candidate, regionCode: region?.regionCode ?? null, postalCode: null };
  }
  return { countryCode: settings.defaultShippingCountry ?? 'US', regionCode: null, postalCode: null };
};
