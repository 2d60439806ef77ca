import type { SubscriptionEvents, SubscriptionEventsQuery } from '#contracts/webhook-events.contract.ts';
import { invalidRequest } from '#kernel/rejection.ts';
import { NoSuchPosition } from '#ports/engine-errors.ts';
import type { WebhookSubscription } from '#reference/webhooks.reference.ts';
import { bodyOf } from './envelope.ts';
import type { FilterMatcher } from './filter.ts';
import type { TopicLog } from './topic-log.ts';

/** Events that one request looks through at most: a rare topic is found by going on from `nextAfter`. */
const MAX_LOOKED_THROUGH = 10_000;
/** Characters of bodies that one request returns, but one event at least. */
const MAX_CHARACTERS = 1_000_000;

/**
 * What the log has to say to a subscription as it is now, after a position: what it was told, or would have been
 * (docs/rules/webhooks.md#reconciling). An event is never split, so that `nextAfter` skips nothing.
 */
const pageAfter = async (
  topicLog: TopicLog,
  matches: FilterMatcher,
  subscription: WebhookSubscription,
  { after, limit }: SubscriptionEventsQuery,
): Promise<SubscriptionEvents> => {
  const items: SubscriptionEvents['items'] = [];
  let [nextAfter, lookedThrough, characters] = [after, 0, 0];
  for await (const { said, upTo, size } of topicLog.after(subscription, after)) {
    for (const messages of said) {
      const told = messages.filter(({ envelope }) => matches(subscription.filterExpression, envelope));
      characters += told.reduce((sum, { envelope }) => sum + bodyOf(envelope).length, 0);
      const isFull = items.length > 0 && (items.length + told.length > limit || characters > MAX_CHARACTERS);
      if (isFull && told.length > 0) return { items, nextAfter, hasMore: true };
      for (const { event, envelope } of told) {
        items.push({ position: event.position, envelope: { ...envelope, data: { ...envelope.data } } });
        nextAfter = event.position;
      }
    }
    nextAfter = upTo;
    lookedThrough += size;
    if (lookedThrough >= MAX_LOOKED_THROUGH) return { items, nextAfter, hasMore: true };
  }
  return { items, nextAfter, hasMore: false };
};

/** Refuses a position that no event has with `invalid-request`. Errors: `EngineUnavailable`. */
export const eventsOf = async (
  ...[topicLog, matches, subscription, query]: Parameters<typeof pageAfter>
): Promise<SubscriptionEvents> => {
  if (query.after > (await topicLog.head()))
    throw invalidRequest('after: must be 0 or the position of an event');
  try {
    return await pageAfter(topicLog, matches, subscription, query);
  } catch (error) {
    throw error instanceof NoSuchPosition
      ? invalidRequest('after: must be 0 or the position of an event')
      : error;
  }
};
