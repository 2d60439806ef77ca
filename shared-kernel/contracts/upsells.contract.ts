import { z } from 'zod';
import { displayLocations, locationNamed, locationOfFlag } from '#values/upsells.ts';
import { placeFields } from './places.contract.ts';

/** What the shop suggests beside a purchase (docs/rules/upsells.md#for-shoppers). */

const oneLocation = `must be one of ${Object.keys(displayLocations).join(', ')}`;

/** One place of the shop: by its name in any case, or its flag. */
const location = z.string(oneLocation).transform((given, context) => {
  const text = given.trim();
  const found = text === '' ? 'Basket' : (locationNamed(text) ?? locationOfFlag(Number(text)));
  if (found !== undefined) return found;
  context.addIssue({ code: 'custom', message: oneLocation });
  return z.NEVER;
});

export const suggestionsQuery = z.object({ location: location.default('Basket'), ...placeFields });

const suggestedVariant = z.object({
  productId: z.string(),
  name: z.string(),
  sku: z.string(),
  price: z.number(),
  formattedPrice: z.string(),
  availableForPurchase: z.boolean(),
});
export type SuggestedVariant = z.output<typeof suggestedVariant>;

export const suggestedProduct = z.object({
  productId: z.string(),
  productRootId: z.string(),
  name: z.string(),
  sku: z.string(),
  price: z.number(),
  formattedPrice: z.string(),
  priceIncludesTax: z.boolean(),
  /** Percent. */
  taxRate: z.number(),
  taxAmount: z.number(),
  formattedTaxAmount: z.string(),
  onSale: z.boolean(),
  previousPrice: z.number().nullable(),
  formattedPreviousPrice: z.string().nullable(),
  url: z.string(),
  imageUrl: z.string().nullable(),
  productTypeName: z.string().nullable(),
  availableForPurchase: z.boolean(),
  hasVariants: z.boolean(),
  /** Empty where there is only one. */
  variants: z.array(suggestedVariant),
});
export type SuggestedProduct = z.output<typeof suggestedProduct>;

export const suggestionResponse = z.object({
  upsellRuleId: z.string(),
  heading: z.string(),
  message: z.string().nullable(),
  checkoutMode: z.string(),
  defaultChecked: z.boolean(),
  displayStyles: z.record(z.string(), z.unknown()).nullable(),
  products: z.array(suggestedProduct),
});
export type SuggestionResponse = z.output<typeof suggestionResponse>;

export const suggestionsResponse = z.array(suggestionResponse);
