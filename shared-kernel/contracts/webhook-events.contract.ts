import { z } from 'zod';

/** What the log has to say to a subscription (docs/rules/webhooks.md#reconciling). */

const wholeNumber = (minimum: number, maximum: number, expected: string) =>
  z.coerce.number(expected).int(expected).min(minimum, expected).max(maximum, expected);

export const subscriptionEventsQuery = z.object({
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER, 'must be 0 or the position of an event').default(0),
  limit: wholeNumber(1, 200, 'must be a whole number from 1 to 200').default(50),
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
