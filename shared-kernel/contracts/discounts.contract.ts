import { z } from 'zod';
import { listFields } from './listing.contract.ts';
import { guid } from '#fields/body-fields.ts';

/** Codes of discounts (docs/rules/discounts.md#codes-for-rules). */

export const generateCodeQuery = z.object({ length: z.coerce.number().int().min(4).max(50).default(8) });
export const generatedCode = z.object({ code: z.string() });

export const codeQuery = z.object({
  code: z.string().trim().min(1).max(250),
  excludeId: guid.optional(),
});
export const codeAvailability = z.object({ isAvailable: z.boolean(), available: z.boolean() });

/** What a rule has brought (docs/rules/discounts.md#performance). Money in the store's currency. */
const brought = {
  totalUsageCount: z.int(),
  totalDiscountAmount: z.number(),
  totalOrderRevenue: z.number(),
  firstUsed: z.string().nullable(),
  lastUsed: z.string().nullable(),
};
export const discountPerformance = z.object({
  ...brought,
  uniqueCustomersCount: z.int(),
  remainingUses: z.int().nullable(),
  averageDiscountPerUse: z.number(),
  averageOrderValue: z.number(),
  usageByDate: z.array(z.object({ date: z.string(), usageCount: z.int(), discountAmount: z.number() })),
});
export const usageReportQuery = z.object(listFields());
export const usageReportRow = z.object({
  id: z.string(),
  name: z.string().nullable(),
  code: z.string().nullable(),
  ...brought,
});
