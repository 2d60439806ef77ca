import {
  deliveriesCollection,
  zeroCounters,
  counterCollection,
  type Delivery,
  type SubscriptionCounters,
} from '#topics/webhook-delivery.ts';
import type { DocumentStore } from '#ports/document-store.ts';

/** What the dispatcher has recorded about a subscription. */
export interface SubscriptionLog {
  readonly counters: SubscriptionCounters;
  /** The ten newest, newest first. */
  readonly recent: readonly Delivery[];
}

const recentDeliveries = 10;

/** For a service that shows subscriptions and may start before the dispatcher. */
export const declareWebhookLog = async (stateStore: DocumentStore): Promise<void> => {
  await stateStore.declare(deliveriesCollection, [
    { fields: ['subscriptionId', 'dateCreated'] },
    { fields: ['subject'] },
  ]);
  await stateStore.declare(counterCollection);
};

const COUNTERS_AT_A_TIME = 200;

/** The dispatcher's counters of every subscription, deleted ones included. Errors: `EngineUnavailable`. */
export async function* allCounters(stateStore: DocumentStore): AsyncIterable<SubscriptionCounters> {
  let after = '';
  for (;;) {
    const page = await stateStore.find<SubscriptionCounters>(counterCollection, {
      filter: { _id: { gt: after } },
      sort: [['_id', 1]],
      limit: COUNTERS_AT_A_TIME,
    });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < COUNTERS_AT_A_TIME) return;
    after = last._id;
  }
}

/** Errors: `EngineUnavailable`. */
export const readWebhookLog = async (
  stateStore: DocumentStore,
  subscriptionId: string,
): Promise<SubscriptionLog> => {
  const [counters, recent] = await Promise.all([
    stateStore.get<SubscriptionCounters>(counterCollection, subscriptionId),
    stateStore.find<Delivery>(deliveriesCollection, {
      filter: { subscriptionId },
      sort: [['dateCreated', -1]],
      limit: recentDeliveries,
    }),
  ]);
  return { counters: counters ?? zeroCounters(subscriptionId), recent };
};
