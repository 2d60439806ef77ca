import { z } from 'zod';
import { displayLocations, type DisplayLocation } from '#values/upsells.ts';
import { day, guid, instant, minor, text } from './fields.ts';

const displayLocation = z.enum(Object.keys(displayLocations) as [DisplayLocation]);

/** What a basket was shown of a rule in one place (docs/rules/upsell-performance.md#attribution). */
export const shownUpsell = z.object({
  upsellRuleId: guid,
  displayLocation,
  /** The products, each with all its variants. */
  productRootIds: z.array(guid),
});
export type ShownUpsell = z.output<typeof shownUpsell>;

/** In the stream of the invoice. */
export const upsellShapes = {
  /** A product was bought that the rule had suggested; once for each invoice, rule and product. */
  UpsellConverted: {
    invoiceNumber: text,
    businessDay: day,
    upsellRuleId: guid,
    productId: guid,
    displayLocation,
    customerId: guid.nullable(),
    /** Its lines without tax, before discounts. Store currency. */
    amountInStoreCurrency: minor,
    /** The first of this rule on the invoice. */
    isFirstOfRule: z.literal(true).exactOptional(),
    /** The business day on which it counted. */
    convertedDay: day,
    convertedAt: instant,
  },
};
