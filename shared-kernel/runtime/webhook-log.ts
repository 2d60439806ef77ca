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
