import { z } from 'zod';
import { basketFields, basketSummary, emptyStorefrontBasketFields } from './basket.contract.ts';

/**
 * What the storefront reads: where and in which currency a shopper is, and the basket (docs/rules/basket.md#answers).
 */

/** Every object that the storefront answers carries these (docs/rules/basket.md#answers). */
export const storefrontEnvelope = { success: z.literal(true), message: z.string() };

export const contextAnswer = z.object({
  ...storefrontEnvelope,
  location: z.object({
    countryCode: z.string(),
    countryName: z.string(),
    regionCode: z.string().nullable(),
    regionName: z.string().nullable(),
  }),
  currency: z.object({ currencyCode: z.string(), currencySymbol: z.string(), decimalPlaces: z.int() }),
  basket: basketSummary,
});

/** Country and region default to where the shopper is taken to be. */
export const basketQuery = z.object({
  includeAvailability: z.stringbool().default(false),
  countryCode: z.string().optional(),
  regionCode: z.string().optional(),
});

const lineAvailability = z.object({
  lineItemId: z.string(),
  productId: z.string(),
  canShipToLocation: z.boolean(),
  hasStock: z.boolean(),
  availableStock: z.int(),
  statusMessage: z.string(),
  /** The same text again. */
  message: z.string(),
});

const availabilityFields = { availability: z.array(lineAvailability), allItemsAvailable: z.boolean() };
export const basketAvailability = z.object(availabilityFields);
export type BasketAvailability = z.output<typeof basketAvailability>;

/** GET /basket; availability only where it was asked for (docs/rules/basket.md#answers). */
export const basketReadAnswer = z.union([
  basketFields.extend({ ...storefrontEnvelope, ...basketAvailability.partial().shape }),
  emptyStorefrontBasketFields.extend({ ...storefrontEnvelope, ...basketAvailability.partial().shape }),
]);

export const basketCountAnswer = basketSummary.extend(storefrontEnvelope);
