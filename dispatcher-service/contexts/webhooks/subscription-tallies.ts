import type { Logger } from 'pino';
import {
  noTally,
  tallyCollection,
  type Delivery,
  type SubscriptionTally,
} from '#contracts/webhook-deliveries.contract.ts';
import type { DocumentStore, Patch } from '#ports/document-store.ts';

/** How the deliveries of each subscription went, counted by attempts (decisions, backoffice 1.5). */
export interface SubscriptionTallies {
  /** `delivery` as it stands after its attempt, or after it was queued and refused. Written before long. */
  count(delivery: Delivery, result: 'succeeded' | 'failed', at: string): void;
  /** Resolves when everything counted so far has been written. */
  settled(): Promise<void>;
}

/** What has been counted and not yet written of one subscription. */
interface Uncounted {
  readonly increment: { readonly successCount: number; readonly failureCount: number };
  readonly set: Readonly<Record<string, unknown>>;
}

const nothing: Uncounted = { increment: { successCount: 0, failureCount: 0 }, set: {} };

const plus = (
  { increment, set }: Uncounted,
  delivery: Delivery,
  isSuccess: boolean,
  at: string,
): Uncounted => ({
  increment: {
    successCount: increment.successCount + (isSuccess ? 1 : 0),
    failureCount: increment.failureCount + (isSuccess ? 0 : 1),
  },
  set: {
    ...set,
    ...(delivery.dateSent === null ? {} : { lastTriggeredUtc: delivery.dateSent }),
    ...(isSuccess
      ? { lastSuccessUtc: at, lastErrorMessage: null }
      : { lastFailureUtc: at, lastErrorMessage: delivery.errorMessage }),
  },
});

/**
 * Counters by increments, so that several workers may count at once. While one write for a subscription is under way,
 * what comes in is added up and goes out as the next: a busy receiver costs one write a commit, not one a delivery.
 */
export const createSubscriptionTallies = (
  stateStore: DocumentStore,
  log: Pick<Logger, 'warn'>,
): SubscriptionTallies => {
  const uncounted = new Map<string, Uncounted>();
  const writing = new Map<string, Promise<void>>();

  const apply = async (subscriptionId: string, patch: Patch): Promise<void> => {
    const filter = { _id: subscriptionId };
    if (await stateStore.updateIf<SubscriptionTally>(tallyCollection, filter, patch)) return;
    await stateStore.insertIfAbsent(tallyCollection, noTally(subscriptionId));
    await stateStore.updateIf<SubscriptionTally>(tallyCollection, filter, patch);
  };

  const write = async (subscriptionId: string): Promise<void> => {
    for (;;) {
      const due = uncounted.get(subscriptionId);
      if (!due) break;
      uncounted.delete(subscriptionId);
      await apply(subscriptionId, { set: due.set, increment: due.increment }).catch((error: unknown) => {
        log.warn({ subscriptionId, err: error }, 'deliveries could not be counted');
      });
    }
    writing.delete(subscriptionId);
  };

  return {
    count: (delivery, result, at) => {
      const { subscriptionId } = delivery;
      const before = uncounted.get(subscriptionId) ?? nothing;
      uncounted.set(subscriptionId, plus(before, delivery, result === 'succeeded', at));
      if (!writing.has(subscriptionId)) writing.set(subscriptionId, write(subscriptionId));
    },
    settled: async () => {
      while (writing.size > 0) await Promise.all(writing.values());
    },
  };
};
