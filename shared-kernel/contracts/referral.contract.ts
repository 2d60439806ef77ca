import { z } from 'zod';

/** What an advertiser signs (docs/rules/discounts-in-the-basket.md#referrals). */
export const referralClaims = z.object({
  m: z.union([z.string(), z.number()]).transform(String),
  p: z.union([z.number(), z.string().regex(/^\d+(\.\d+)?$/)]).transform(Number),
  dp: z.int().min(1).max(100),
  dc: z.string().max(250).nullish(),
  c: z.string().max(10).nullish(),
  o: z.string().min(1).max(250),
  exp: z.number(),
});

/** Keys of an advertiser, as a document. */
export const keySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

/** A discount that a link has promised, for one product and a while. */
export const referralOffer = z.object({
  discountedPrice: z.number(),
  discountPercentage: z.int().min(1).max(100),
  discountCode: z.string().nullable(),
  currencyCode: z.string().nullable(),
  /** The id of a variant, or its SKU. */
  offerId: z.string(),
  /** Until when the page may show it, and until when it can be bought; ISO instants. */
  pageExpiryUtc: z.iso.datetime(),
  checkoutExpiryUtc: z.iso.datetime(),
});
export type ReferralOffer = z.output<typeof referralOffer>;
