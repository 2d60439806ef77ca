import { z } from 'zod';

const expected = 'must be an ISO 8601 date, or a date and time with its offset';
const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** Texts compare like the instants they stand for only from the year 0 to 9999, in UTC. */
const isComparable = (text: string): boolean => /^\d{4}-/.test(text);

/** An instant; of a date the first or the last moment of its day in UTC. */
export const instant = (timeOfDay: string) =>
  z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], expected)
    .transform((text) => new Date(isDate(text) ? `${text}T${timeOfDay}Z` : text).toISOString())
    .refine(isComparable, 'must be an instant from the year 0 to 9999 in UTC');

/** Which deliveries count: those created from … to, both inclusive. */
export const webhookStatsQuery = z.object({
  from: instant('00:00:00.000').optional(),
  to: instant('23:59:59.999').optional(),
});
export type WebhookStatsWindow = z.output<typeof webhookStatsQuery>;

/** How the deliveries of a time went (docs/rules/webhooks.md#figures). Subscriptions are counted as they are now. */
export const webhookStats = z.object({
  totalSubscriptions: z.int(),
  activeSubscriptions: z.int(),
  totalDeliveries: z.int(),
  successfulDeliveries: z.int(),
  failedDeliveries: z.int(),
  pendingDeliveries: z.int(),
  abandonedDeliveries: z.int(),
  /** Percent with 2 decimals; 0 without deliveries. */
  successRate: z.number(),
  averageResponseTimeMs: z.number(),
  lastDeliveryUtc: z.string().nullable(),
});
export type WebhookStats = z.output<typeof webhookStats>;
