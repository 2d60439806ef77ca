import { z } from 'zod';

/** What upsell rules have brought (docs/rules/upsell-performance.md#figures). Money in the store's currency. */

const eventsOfDay = z.object({
  /** `YYYY-MM-DD` in the shop's time zone. */
  date: z.string(),
  impressions: z.int(),
  clicks: z.int(),
  conversions: z.int(),
  revenue: z.number(),
});

const totals = {
  totalImpressions: z.int(),
  totalClicks: z.int(),
  totalConversions: z.int(),
  totalRevenue: z.number(),
};

export const upsellPerformance = z.object({
  upsellRuleId: z.string(),
  name: z.string(),
  ...totals,
  clickThroughRate: z.number(),
  conversionRate: z.number(),
  averageOrderValue: z.number(),
  uniqueCustomersCount: z.int(),
  firstImpression: z.string().nullable(),
  lastConversion: z.string().nullable(),
  eventsByDate: z.array(eventsOfDay),
});

const summaryRow = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  impressions: z.int(),
  clicks: z.int(),
  conversions: z.int(),
  revenue: z.number(),
  clickThroughRate: z.number(),
  conversionRate: z.number(),
});

export const upsellSummaryQuery = z.object({ topN: z.coerce.number().int().min(1).max(100).default(20) });
export const upsellSummary = z.array(summaryRow);

export const upsellDashboard = z.object({
  totalActiveRules: z.int(),
  ...totals,
  overallClickThroughRate: z.number(),
  overallConversionRate: z.number(),
  topPerformers: upsellSummary,
  trendByDate: z.array(eventsOfDay),
});
