import { storeList, type StoreList } from '#command/engine/store-list.ts';
import { createSubscription } from '#contracts/webhooks.contract.ts';
import type { SubscriptionActions } from './subscription.actions.ts';

/**
 * The webhooks of a store file (docs/rules/store-file.md#entries). Names are resolved when something is sent: a file
 * can be imported where there is no network.
 */
export const subscriptionStoreList = (subscriptions: SubscriptionActions): StoreList =>
  storeList({
    name: 'webhooks',
    references: [],
    create: createSubscription,
    change: createSubscription,
    problemsOf: (_, given) => subscriptions.problemsOf(given),
    uniqueIn: () => [],
    exists: async (id) => (await subscriptions.topicOf(id)) !== null,
    createEntry: (id, given, meta) => subscriptions.subscribe(id, given, meta),
    changeEntry: async (id, { topic, ...changes }, meta) => {
      if ((await subscriptions.topicOf(id)) === topic) return subscriptions.update(id, changes, meta);
      // A subscription keeps its topic as long as it lives.
      await subscriptions.remove(id, meta);
      return subscriptions.subscribe(id, { ...changes, topic }, meta);
    },
  });
