import { z } from 'zod';
import { filterExpression, topic } from './webhooks.contract.ts';

/** What the log has to say to a subscription (docs/rules/webhooks.md#reconciling). */

const wholeNumber = (minimum: number, maximum: number, expected: string) =>
  z.coerce.number(expected).int(expected).min(minimum, expected).max(maximum, expected);

const limit = (maximum: number) =>
  wholeNumber(1, maximum, `must be a whole number from 1 to ${maximum}`).default(50);

export const subscriptionEventsQuery = z.object({
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER, 'must be 0 or the position of an event').default(0),
  limit: limit(200),
});
export type SubscriptionEventsQuery = z.output<typeof subscriptionEventsQuery>;

const envelope = z.object({
  id: z.string(),
  topic: z.string(),
  timestamp: z.string(),
  api_version: z.string(),
  /** Null for links that open baskets, unless an admin asks. */
  data: z.record(z.string(), z.unknown()).nullable(),
});

/** `nextAfter` continues: the position up to which the log was looked through, also where nothing was found. */
export const subscriptionEventsSchema = z.object({
  items: z.array(z.object({ position: z.int(), envelope })),
  nextAfter: z.int(),
  hasMore: z.boolean(),
});
export type SubscriptionEvents = z.output<typeof subscriptionEventsSchema>;

/** What a filter is tried on: the newest messages of a topic (docs/rules/webhooks.md#trying-out). */
export const filterTestBody = z.object({
  topic,
  filterExpression,
  limit: z.int().min(1).max(200).default(50),
});
export type FilterTest = z.output<typeof filterTestBody>;

export const filterTestSchema = z.object({
  items: z.array(z.object({ position: z.int(), matches: z.boolean(), error: z.string().nullable() })),
  /** How many events were looked through, whatever they say, from the newest on. */
  lookedThrough: z.int(),
  /** Whether there are older ones. */
  hasMore: z.boolean(),
});
export type FilterTestResult = z.output<typeof filterTestSchema>;
