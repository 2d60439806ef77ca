import type { LookedUpAddress } from '#ports/address-lookup.ts';
import { countryName, findRegion, isCountry } from '#values/region.ts';

/** An address with the names of its country and region, where there are any. */
export interface CompleteAddress extends LookedUpAddress {
  readonly country: string | null;
}

/** What a provider left out, from the country that was asked for and the catalogue of countries and regions. */
export const completedAddress = (
  address: LookedUpAddress,
  askedCountryCode: string | null,
): CompleteAddress => {
  const countryCode = (address.countryCode ?? askedCountryCode)?.toUpperCase() ?? null;
  if (countryCode === null || !isCountry(countryCode)) return { ...address, countryCode, country: null };
  const named = address.regionCode ?? address.countyState;
  const region = named === null ? null : findRegion(countryCode, named);
  return {
    ...address,
    countryCode,
    country: countryName(countryCode),
    regionCode: region?.regionCode ?? address.regionCode,
    countyState: address.countyState ?? region?.name ?? null,
  };
};
