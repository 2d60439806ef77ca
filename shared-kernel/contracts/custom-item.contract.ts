import { z } from 'zod';
import { amount, optionalGuid, region, country, type CurrencyOf } from './management.contract.ts';

/** A line that somebody writes by hand, and where it goes. `amount` is of one unit. */
export const customItemBody = (currency: CurrencyOf) =>
  z.object({
    amount: amount(currency),
    quantity: z.int().min(1).max(9_999_999).default(1),
    taxGroupId: optionalGuid.default(null),
    isTaxable: z.boolean().optional(),
    countryCode: country,
    regionCode: region.default(null),
  });

export const customItemAnswer = z.object({
  lineTotal: z.number(),
  isTaxable: z.boolean(),
  taxRate: z.number(),
  tax: z.number(),
  total: z.number(),
});
