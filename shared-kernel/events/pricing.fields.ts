import { z } from 'zod';
import { guid, instant, minor, percent, text } from './fields.ts';

/** What a basket costs, store currency, minor units; recorded as priced so that it is never recomputed. */
export const basketTotals = z.object({
  subTotal: minor,
  /** Product and order discounts and, apart, what is taken off the shipping; both positive. */
  productDiscount: minor,
  shippingDiscount: minor,
  shipping: minor,
  /** Tax on lines and shipping together. */
  tax: minor,
  shippingTax: minor,
  total: minor,
  /** Percent, four decimals; null unless the shipping tax is proportional (docs/rules/tax.md#shipping). */
  effectiveShippingTaxRate: percent.nullable(),
  /** Percent by which shipping is taxed where the rate is fixed. Older releases do not say it. */
  shippingTaxRate: percent.exactOptional(),
  /**
   * Why the tax uses the shop's own rates although a provider determines it; null where it is the provider's figure,
   * missing where none is asked (docs/rules/tax.md#providers).
   */
  taxEstimation: text.nullable().exactOptional(),
});
export type BasketTotals = z.output<typeof basketTotals>;

/** A line's figures. `discount` is what was taken off (positive), `tax` is on what remains. */
export const lineFigures = z.object({
  lineId: guid,
  unitPrice: minor,
  isTaxable: z.boolean(),
  taxRate: percent,
  discount: minor,
  tax: minor,
});
export type LineFigures = z.output<typeof lineFigures>;

/** When a checkout changed, and whether it begins with that. */
export const sessionStamp = z.object({ at: instant, begins: z.literal(true).exactOptional() });
export type SessionStamp = z.output<typeof sessionStamp>;

/**
 * A discount that was taken, as the discount line that the basket shows. `lineId` is null for the order and shipping.
 */
export const takenDiscount = z.object({
  id: guid,
  discountId: guid,
  name: text,
  code: text.nullable(),
  category: z.enum(['AmountOffProducts', 'BuyXGetY', 'AmountOffOrder', 'FreeShipping']),
  lineId: guid.nullable(),
  amount: minor,
  /** Of a referral: it follows no rule, and `discountId` is its own. */
  isReferral: z.literal(true).exactOptional(),
});
export type TakenDiscount = z.output<typeof takenDiscount>;

/** The basket after a change: totals and discounts whole, and the figures of the lines that differ from before. */
export const basketPricing = z.object({
  totals: basketTotals,
  /** In the order of application. Beside `keptDiscounts` those that are new. */
  discounts: z.array(takenDiscount),
  /**
   * Discounts that the basket had before (`kept-discounts.ts`). The whole list has one for each of `places`: the one
   * that had this place before, with the next of `amounts`, or at -1 the next of `discounts`.
   */
  keptDiscounts: z.object({ places: z.array(z.int().min(-1)), amounts: z.array(minor) }).exactOptional(),
  changedLines: z.array(lineFigures),
  /** Of a basket in checkout. Missing in older logs. */
  session: sessionStamp.exactOptional(),
  /** Of a basket whose e-mail address is known: it can be abandoned. Missing in older logs. */
  hasEmail: z.literal(true).exactOptional(),
});
export type BasketPricing = z.output<typeof basketPricing>;
