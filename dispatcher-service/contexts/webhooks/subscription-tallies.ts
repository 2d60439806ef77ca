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

/** From one write to the next at least, real time. */
const PAUSE_MILLISECONDS = 250;

/**
 * Counters by increments, so that several workers may count at once. The first is written at once; what comes soon after
 * is added up and goes out together: a busy receiver costs a few writes a second, not one a delivery.
 */
export const createSubscriptionTallies = (
  stateStore: DocumentStore,
  log: Pick<Logger, 'warn'>,
): SubscriptionTallies => {
  const uncounted = new Map<string, Uncounted>();
  let writing: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;
  let nextAt = 0;

  const apply = async (subscriptionId: string, patch: Patch): Promise<void> => {
    const filter = { _id: subscriptionId };
    if (await stateStore.updateIf<SubscriptionTally>(tallyCollection, filter, patch)) return;
    await stateStore.insertIfAbsent(tallyCollection, noTally(subscriptionId));
    await stateStore.updateIf<SubscriptionTally>(tallyCollection, filter, patch);
  };

  const writeAll = (): Promise<unknown> => {
    const due = [...uncounted];
    uncounted.clear();
    const written = due.map(([subscriptionId, { set, increment }]) =>
      apply(subscriptionId, { set, increment }).catch((error: unknown) => {
        log.warn({ subscriptionId, err: error }, 'deliveries could not be counted');
      }),
    );
    return Promise.all(written);
  };

  /** One after another: what was counted later is written later. */
  const write = (): Promise<unknown> => {
    if (timer) clearTimeout(timer);
    timer = null;
    nextAt = performance.now() + PAUSE_MILLISECONDS;
    return (writing = writing.then(writeAll));
  };

  return {
    count: (delivery, result, at) => {
      const { subscriptionId } = delivery;
      const before = uncounted.get(subscriptionId) ?? nothing;
      uncounted.set(subscriptionId, plus(before, delivery, result === 'succeeded', at));
      timer ??= setTimeout(() => void write(), Math.max(0, nextAt - performance.now())).unref();
    },
    settled: async () => void (await write()),
  };
};
