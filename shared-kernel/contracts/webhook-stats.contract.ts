import { z } from 'zod';

const expected = 'must be an ISO 8601 date, or a date and time with its offset';
const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** Instants sort by their texts from the year 0 to 9999; the hour or day after them has to, as well. */
const isComparable = (text: string): boolean => /^\d{4}-/.test(text) && text < '9999-';

/** An instant; of a date the first or the last moment of its day in UTC. */
export const instant = (timeOfDay: string) =>
  z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], expected)
    .transform((text) => new Date(isDate(text) ? `${text}T${timeOfDay}Z` : text).toISOString())
    .refine(isComparable, 'must be an instant from the year 0 to 9998 in UTC');

const first = instant('00:00:00.000');
const last = instant('23:59:59.999');

interface Window {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const isInOrder = ({ from, to }: Window): boolean => from === undefined || to === undefined || from <= to;
const inOrder = { path: ['to'], message: 'must not be before from' };

const subscriptionId = z.guid().toLowerCase().optional();

/** Which deliveries count: those created from … to, both inclusive; of one subscription, or of all. */
export const webhookStatsQuery = z
  .object({ from: first.optional(), to: last.optional(), subscriptionId })
  .refine(isInOrder, inOrder);
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

/** The same, and how finely they are told apart. */
export const webhookSeriesQuery = z
  .object({
    from: first,
    /** Default: now. */
    to: last.optional(),
    interval: z.enum(['hour', 'day'], 'must be hour or day').default('day'),
    subscriptionId,
  })
  .refine(isInOrder, inOrder);
export type WebhookSeriesWindow = z.output<typeof webhookSeriesQuery>;

const DAY_MILLISECONDS = 86_400_000;
/** More points than these days have no chart shows. */
const mostDays = { hour: 31, day: 730 } as const;

/** What is wrong with a series from … to; null when nothing is. */
export const seriesProblem = (
  from: string,
  to: string,
  interval: WebhookSeriesWindow['interval'],
): string | null => {
  const days = mostDays[interval];
  if (from > to) return 'from: must not be after to';
  const isLong = Date.parse(to) - Date.parse(from) > days * DAY_MILLISECONDS;
  return isLong ? `from: must be at most ${days} days before to, by the ${interval}` : null;
};

/** Deliveries by the hour or day in which they were created, an entry for each (docs/rules/webhooks.md#series). */
export const webhookSeries = z.object({
  from: z.string(),
  to: z.string(),
  interval: z.enum(['hour', 'day']),
  subscriptionId: z.string().nullable(),
  points: z.array(
    z.object({
      /** When the hour or day begins. */
      start: z.string(),
      delivered: z.int(),
      failed: z.int(),
      pending: z.int(),
      /** Null when none was attempted. */
      averageDurationMs: z.number().nullable(),
      p95DurationMs: z.int().nullable(),
    }),
  ),
});
export type WebhookSeries = z.output<typeof webhookSeries>;
