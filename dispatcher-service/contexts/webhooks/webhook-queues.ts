import type { Logger } from 'pino';
import { pause } from '#runtime/back-off.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import type { DocumentStore, Filter } from '#ports/document-store.ts';
import { MOST_CONCURRENT } from '#values/webhook-concurrency.ts';
import { createDeliveryQueues } from '../../engine/create-delivery-queues.ts';
import type { DeliveryQueues } from '../../engine/delivery-queues.ts';
import type { Attempts } from './attempt-delivery.ts';
import type { Receivers } from './operator-webhook.ts';
import { countDeliveries, replayedDeliveries, untriedDeliveries } from './delivery-rows.ts';

export interface WebhookQueuesOptions {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly webhooks: Pick<Receivers, 'subscription'>;
  readonly isOnlyWriter: boolean;
  readonly log: Pick<Logger, 'warn'>;
}

const LOOK_MILLISECONDS = 100;
const REPLAYED_AT_ONCE = 8;
const REPLAYED_A_SECOND = 500;

/** The host of a subscription's address; null when it is unknown or cannot be read. */
const hostOf = ({ webhooks }: WebhookQueuesOptions, subscriptionId: string): string | null =>
  URL.parse(webhooks.subscription(subscriptionId)?.targetUrl ?? '')?.hostname ?? null;

/**
 * How many attempts may be under way to a subscription (docs/rules/webhooks.md#attempts). One that is not known yet, or
 * no more, gets them one by one.
 */
const atOnceTo = ({ webhooks }: WebhookQueuesOptions, subscriptionId: string): number => {
  const subscription = webhooks.subscription(subscriptionId);
  if (!subscription) return 1;
  return subscription.isActive ? subscription.maxConcurrent : 0;
};

/**
 * Resolves when nothing is under way elsewhere to a subscription that may have few attempts at once: the process that
 * held it before finishes its own. None takes longer than the time-out, even if its worker was killed.
 */
const untilOthersAreDone = async (
  { stateStore, clock, webhooks, isOnlyWriter }: WebhookQueuesOptions,
  { underWayTo }: Pick<Attempts, 'underWayTo'>,
  subscriptionId: string,
  stopping: AbortSignal,
): Promise<void> => {
  const subscription = webhooks.subscription(subscriptionId);
  if (isOnlyWriter || !subscription || subscription.maxConcurrent >= MOST_CONCURRENT) return;
  while (!stopping.aborted) {
    const dateSent = { gt: isoInstant(clock.now() - subscription.timeoutSeconds * 1000) };
    const filter: Filter = { subscriptionId, status: 'Sending', dateSent };
    if ((await countDeliveries(stateStore, filter)) <= underWayTo(subscriptionId)) return;
    await pause(LOOK_MILLISECONDS, stopping);
  }
};

/**
 * Replayed deliveries a few at a time, and so many a second at most: what is new, to whomever, is as quick as without a
 * replay.
 */
const createReplayed = (options: WebhookQueuesOptions, stopping: AbortSignal) => {
  let nextAt = 0;
  return async (subscriptionId: string, limit: number): Promise<readonly string[]> => {
    await pause(Math.max(0, nextAt - performance.now()), stopping);
    const most = Math.min(limit, REPLAYED_AT_ONCE);
    const ids = await replayedDeliveries(options.stateStore, subscriptionId, most);
    nextAt = Math.max(nextAt, performance.now()) + (ids.length * 1000) / REPLAYED_A_SECOND;
    return ids;
  };
};

/** The queues of the subscriptions that this process sends to. */
export const createWebhookQueues = (
  options: WebhookQueuesOptions,
  attempts: Pick<Attempts, 'claim' | 'underWayTo'>,
  stopping: AbortSignal,
): DeliveryQueues => {
  const replayed = createReplayed(options, stopping);
  return createDeliveryQueues({
    claim: attempts.claim,
    isShared: true,
    untried: async (subscriptionId, limit) => {
      await untilOthersAreDone(options, attempts, subscriptionId, stopping);
      return untriedDeliveries(options.stateStore, subscriptionId, limit);
    },
    replayed: async (subscriptionId, limit) => {
      await untilOthersAreDone(options, attempts, subscriptionId, stopping);
      return replayed(subscriptionId, limit);
    },
    hostOf: (subscriptionId) => hostOf(options, subscriptionId),
    isGone: (subscriptionId) => options.webhooks.subscription(subscriptionId) === undefined,
    atOnceTo: (subscriptionId) => atOnceTo(options, subscriptionId),
    onError: (subscriptionId, error) =>
      options.log.warn({ subscriptionId, err: error }, 'a delivery could not be attempted, its row waits'),
  });
};
