import type { Destination } from '#values/address.ts';
import {
  countries,
  countryName,
  findRegion,
  isCountry,
  regionsOf,
  type Country,
  type Region,
} from '#values/region.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { ReferenceWarehouse, ShippingReference } from './reference.ts';

type ServiceRegion = ReferenceWarehouse['serviceRegions'][number];

/** A country, and a region of it where one is known. */
export interface Place {
  readonly countryCode: string;
  readonly regionCode: string | null;
}

/** A place with the names that people read; a destination, as far as it is known before there is an address. */
export interface Location extends Destination {
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
 * Whether a warehouse delivers to a place (docs/rules/shipping.md#service-regions): without rules everywhere; else the
 * rules for the region decide, then those for the country. An empty country is served by none.
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

/** Warehouses that can send anything: those with a shipping option that is enabled, or a carrier. */
const activeWarehouses = (shipping: ShippingReference): readonly ReferenceWarehouse[] =>
  shipping
    .warehouses()
    .filter(
      ({ id }) =>
        shipping.carriersOf(id).length > 0 || shipping.optionsOf(id).some(({ isEnabled }) => isEnabled),
    );

/** Whether a warehouse delivers to a country, be it to some of its regions only. */
export const servesSomeOf = (warehouse: ReferenceWarehouse, countryCode: string): boolean =>
  isServed(warehouse, { countryCode, regionCode: null }) ||
  warehouse.serviceRegions.some((rule) => isSame(rule.countryCode, countryCode) && !rule.isExcluded);

/**
 * Whether the shop delivers anywhere in a country, be it to some of its regions only
 * (docs/rules/shipping.md#countries-and-regions).
 */
export const isShippingCountry = (shipping: ShippingReference, countryCode: string): boolean =>
  isCountry(countryCode) &&
  activeWarehouses(shipping).some((warehouse) => servesSomeOf(warehouse, countryCode));

/** The countries that the shop delivers to, sorted by name. */
export const shippingCountries = (shipping: ShippingReference): readonly Country[] => {
  const warehouses = activeWarehouses(shipping);
  return countries().filter(({ code }) => warehouses.some((warehouse) => servesSomeOf(warehouse, code)));
};

/** The regions of a country that the shop delivers to; empty where the catalogue has none. */
export const shippingRegions = (shipping: ShippingReference, countryCode: string): readonly Region[] => {
  const warehouses = activeWarehouses(shipping);
  return regionsOf(countryCode).filter(({ regionCode }) =>
    warehouses.some((warehouse) => isServed(warehouse, { countryCode, regionCode })),
  );
};

/** A place with its names; a region that the catalogue does not know is dropped. */
export const locationOf = (countryCode: string, regionCode: string | null): Location => {
  const code = countryCode.toUpperCase();
  const region = regionCode === null || regionCode === '' ? null : findRegion(code, regionCode);
  return {
    countryCode: code,
    countryName: countryName(code),
    regionCode: region?.regionCode ?? null,
    regionName: region?.name ?? null,
    postalCode: null,
  };
};

/** What a request or a shopper's cookies say of where they are. */
export interface ChosenPlace {
  readonly countryCode?: string | null | undefined;
  readonly regionCode?: string | null | undefined;
}

/**
 * Where a shopper is taken to be (docs/rules/shipping.md#where-a-shopper-is): the chosen country, else the store's
 * default, else the United States, else the first that the shop delivers to. A country that it does not deliver to, or
 * a region that the country does not have, is dropped; a shop that delivers nowhere still has a default.
 */
export const currentLocation = (
  chosen: ChosenPlace,
  { defaultShippingCountry }: Pick<StoreSettings, 'defaultShippingCountry'>,
  shipping: ShippingReference,
): Location => {
  if (chosen.countryCode && isShippingCountry(shipping, chosen.countryCode)) {
    return locationOf(chosen.countryCode, chosen.regionCode ?? null);
  }
  for (const countryCode of [defaultShippingCountry, 'US']) {
    if (countryCode !== null && isShippingCountry(shipping, countryCode))
      return locationOf(countryCode, null);
  }
  return locationOf(shippingCountries(shipping)[0]?.code ?? defaultShippingCountry ?? 'US', null);
};

/**
 * Where a shopper asks about: the country that the question names, also one that the shop does not deliver to, else
 * where the shopper is taken to be. A region that the country does not have is dropped.
 */
export const requestedLocation = (
  asked: ChosenPlace,
  chosen: ChosenPlace,
  settings: Pick<StoreSettings, 'defaultShippingCountry'>,
  shipping: ShippingReference,
): Location => {
  if (asked.countryCode) return locationOf(asked.countryCode, asked.regionCode ?? null);
  const current = currentLocation(chosen, settings, shipping);
  return asked.regionCode ? locationOf(current.countryCode, asked.regionCode) : current;
};
