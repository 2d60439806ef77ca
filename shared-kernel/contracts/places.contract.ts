import { z } from 'zod';
import { isCountry } from '#values/region.ts';

/** Countries and regions, as shoppers and staff read them (docs/rules/shipping.md#countries-and-regions). */

const code = z.string().trim().toUpperCase();
const orNothing = (given: string): string | undefined => (given === '' ? undefined : given);

/** A place in a query. Empty counts as not given; a region that the country does not have is dropped later. */
export const placeFields = {
  countryCode: code
    .refine((given) => given === '' || isCountry(given), 'must be an ISO 3166-1 country code')
    .transform(orNothing)
    .optional(),
  regionCode: code.max(100).transform(orNothing).optional(),
};

/** Default: where the shopper is taken to be. */
export const placeQuery = z.object(placeFields);

export const countryParams = z.object({ countryCode: code });

export const countryResponse = z.object({ code: z.string(), name: z.string() });
const region = z.object({ regionCode: z.string(), name: z.string() });

export const countriesResponse = z.array(countryResponse);
export const regionsResponse = z.array(region);
