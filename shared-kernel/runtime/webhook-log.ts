import {
  deliveriesCollection,
  noTally,
  tallyCollection,
  type Delivery,
  type SubscriptionTally,
} from '#contracts/webhook-deliveries.contract.ts';
import type { DocumentStore } from '#ports/document-store.ts';

/** What the dispatcher has written down about a subscription. */
export interface SubscriptionLog {
  readonly tally: SubscriptionTally;
  /** The ten newest, newest first. */
  readonly recent: readonly Delivery[];
}

const recentDeliveries = 10;

/** For a service that answers subscriptions and may start before the dispatcher has. */
export const declareWebhookLog = async (stateStore: DocumentStore): Promise<void> => {
  await stateStore.declare(deliveriesCollection, [{ fields: ['subscriptionId', 'dateCreated'] }]);
  await stateStore.declare(tallyCollection);
};

const TALLIES_AT_A_TIME = 200;

/** What the dispatcher has counted of every subscription there ever was. Errors: `EngineUnavailable`. */
export async function* allTallies(stateStore: DocumentStore): AsyncIterable<SubscriptionTally> {
  let after = '';
  for (;;) {
    const page = await stateStore.find<SubscriptionTally>(tallyCollection, {
      filter: { _id: { gt: after } },
      sort: [['_id', 1]],
      limit: TALLIES_AT_A_TIME,
    });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < TALLIES_AT_A_TIME) return;
    after = last._id;
  }
}

/** Errors: `EngineUnavailable`. */
export const readWebhookLog = async (
  stateStore: DocumentStore,
  subscriptionId: string,
): Promise<SubscriptionLog> => {
  const [tally, recent] = await Promise.all([
    stateStore.get<SubscriptionTally>(tallyCollection, subscriptionId),
    stateStore.find<Delivery>(deliveriesCollection, {
      filter: { subscriptionId },
      sort: [['dateCreated', -1]],
      limit: recentDeliveries,
    }),
  ]);
  return { tally: tally ?? noTally(subscriptionId), recent };
};
