import { z } from 'zod';
import { countriesResponse, countryResponse, placeFields, regionsResponse } from './places.contract.ts';
import { errorBody } from './error.contract.ts';
import { basketFields, basketSummary, emptyStorefrontBasketFields } from './basket.contract.ts';

/**
 * What the storefront reads: where and in which currency a shopper is, and the basket (docs/rules/basket.md#answers).
 */

/** Every object that the storefront answers carries these (docs/rules/basket.md#answers). */
export const storefrontEnvelope = { success: z.literal(true), message: z.string() };

const currencyResponse = z.object({
  currencyCode: z.string(),
  currencySymbol: z.string(),
  decimalPlaces: z.int(),
});

export const contextResponse = z.object({
  ...storefrontEnvelope,
  location: z.object({
    countryCode: z.string(),
    countryName: z.string(),
    regionCode: z.string().nullable(),
    regionName: z.string().nullable(),
  }),
  currency: currencyResponse,
  basket: basketSummary,
});

/** Country and region default to where the shopper is taken to be. */
export const basketQuery = z.object({ includeAvailability: z.stringbool().default(false), ...placeFields });

const availabilityOfOne = {
  canShipToLocation: z.boolean(),
  hasStock: z.boolean(),
  /** 0 where it sells without limit. */
  availableStock: z.int(),
  statusMessage: z.string(),
  /** The same text again. */
  message: z.string(),
};

const lineAvailability = z.object({ lineItemId: z.string(), productId: z.string(), ...availabilityOfOne });

const availabilityFields = { availability: z.array(lineAvailability), allItemsAvailable: z.boolean() };
export const basketAvailability = z.object(availabilityFields);
export type BasketAvailability = z.output<typeof basketAvailability>;

/** GET /basket; availability only where it was asked for (docs/rules/basket.md#answers). */
export const basketReadResponse = z.union([
  basketFields.extend({ ...storefrontEnvelope, ...basketAvailability.partial().shape }),
  emptyStorefrontBasketFields.extend({ ...storefrontEnvelope, ...basketAvailability.partial().shape }),
]);

export const basketCountResponse = basketSummary.extend(storefrontEnvelope);

/** GET /basket/availability (docs/rules/inventory.md#availability). */
export const basketAvailabilityResponse = z.object({
  ...storefrontEnvelope,
  allItemsAvailable: z.boolean(),
  items: z.array(lineAvailability),
});

export const productParams = z.object({ productId: z.guid().toLowerCase() });

/** A count of pieces in an address: digits and nothing else. */
const pieces = z
  .string()
  .regex(/^\d{1,7}$/, 'must be a whole number from 1')
  .transform(Number)
  .refine((count) => count > 0, 'must be a whole number from 1');

export const productAvailabilityQuery = z.object({ ...placeFields, quantity: pieces.default(1) });

/** GET /products/{productId}/availability. */
export const productAvailabilityResponse = z.object({
  success: z.literal(true),
  ...availabilityOfOne,
  showStockLevels: z.boolean(),
});

/** GET /shipping/countries. */
export const shippingCountriesResponse = z.object({
  ...storefrontEnvelope,
  countries: countriesResponse,
  currentCountry: countryResponse,
  currentRegionCode: z.string().nullable(),
  currentRegionName: z.string().nullable(),
  currency: currencyResponse,
});

/** GET /shipping/countries/{countryCode}/regions. */
export const shippingRegionsResponse = z.object({
  ...storefrontEnvelope,
  countryCode: z.string(),
  regions: regionsResponse,
});

/** GET /basket/estimated-shipping; what cannot be estimated is no error (docs/rules/shipping.md#estimate). */
export const estimatedShippingResponse = z.union([
  z.object({
    ...storefrontEnvelope,
    estimatedShippingTotal: z.number(),
    formattedEstimatedShippingTotal: z.string(),
    displayEstimatedShippingTotal: z.number(),
    formattedDisplayEstimatedShippingTotal: z.string(),
    currencySymbol: z.string(),
    groupCount: z.int(),
    basket: basketFields,
  }),
  errorBody,
]);
