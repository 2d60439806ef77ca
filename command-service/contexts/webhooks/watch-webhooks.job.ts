import { LRUCache } from 'lru-cache';
import { atMost } from '#kernel/at-most.ts';
import type { CommandEngine } from '#command/engine/command-engine.ts';
import { isoInstant } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import type { Job } from '#runtime/job-runner.ts';
import type { SubscriptionCounters } from '#topics/webhook-delivery.ts';
import { shownAddress } from '#values/secret-address.ts';
import { subscriptionDecider } from './subscription.decider.ts';
import type { ObserveWebhook } from './webhook-health.commands.ts';
import { healthNews, webhookHealthDecider } from './webhook-health.decider.ts';

export interface WatchWebhooksDeps {
  readonly commands: Pick<CommandEngine, 'load' | 'recall' | 'execute'>;
  /** What the dispatcher has counted, subscription by subscription. */
  readonly allCounters: () => AsyncIterable<SubscriptionCounters>;
}

const nameless = { name: '', topic: '', targetUrl: '' };
const longestMessage = 500;
/** What is switched off or deleted may keep its trouble for good; it is looked at again so soon. */
const LOOK_AGAIN_MILLISECONDS = 300_000;
const INACTIVE_AT_MOST = 10_000;

const observationOf = (
  counters: SubscriptionCounters,
  subscription: ObserveWebhook['subscription'],
): ObserveWebhook => {
  const { failuresInARow = 0, givenUpCount = 0, lastSuccessUtc, lastFailureUtc } = counters;
  const lastErrorMessage = counters.lastErrorMessage?.slice(0, longestMessage) ?? null;
  const counted = { failuresInARow, givenUpCount, lastSuccessUtc, lastFailureUtc, lastErrorMessage };
  return { type: 'ObserveWebhook', subscription, counted };
};

/** As it is now, null where it is not there or switched off. */
const activeSubscription = async (
  { commands }: WatchWebhooksDeps,
  id: string,
): Promise<ObserveWebhook['subscription'] | null> => {
  const { state } = await commands.load(subscriptionDecider, id);
  if (state.status !== 'subscribed' || !state.settings.isActive) return null;
  const { name, targetUrl } = state.settings;
  return { name, topic: state.topic, targetUrl: shownAddress(targetUrl) };
};

/**
 * Has staff told of subscriptions that fail, give up and recover (docs/rules/webhooks.md#telling-staff). It reads one
 * row of counters for each subscription and no delivery; the stream of what was told makes it once.
 */
export const watchWebhooks = (deps: WatchWebhooksDeps): Job => {
  const { commands, allCounters } = deps;
  /** When they were found to be inactive, by id. */
  const inactive = new LRUCache<string, number>(atMost(INACTIVE_AT_MOST));

  const observe = async (counters: SubscriptionCounters, now: number): Promise<number> => {
    const at = isoInstant(now);
    const { state } = await commands.recall(webhookHealthDecider, counters._id);
    if (healthNews(state, observationOf(counters, nameless), at).length === 0) return 0;
    const foundInactive = inactive.get(counters._id) ?? -Infinity;
    if (Math.abs(now - foundInactive) < LOOK_AGAIN_MILLISECONDS) return 0;
    const subscription = await activeSubscription(deps, counters._id);
    if (subscription === null) {
      inactive.set(counters._id, now);
      return 0;
    }
    const correlationId = newId();
    const { events } = await commands.execute({
      decider: webhookHealthDecider,
      id: counters._id,
      command: observationOf(counters, subscription),
      context: () => ({ at }),
      meta: { correlationId, causationId: correlationId, actor: { kind: 'system', id: 'watch-webhooks' } },
    });
    return events.length;
  };

  return {
    name: 'watch-webhooks',
    schedule: '*/10 * * * * *',
    runOnce: async (now) => {
      let told = 0;
      for await (const counters of allCounters())
        if (counters.failureCount > 0) told += await observe(counters, now);
      return { told };
    },
  };
};
