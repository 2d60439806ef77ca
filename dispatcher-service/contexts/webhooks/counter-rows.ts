import {
  zeroCounters,
  counterCollection,
  type Delivery,
  type SubscriptionCounters,
} from '#topics/webhook-delivery.ts';
import type { DocumentStore, Patch } from '#ports/document-store.ts';
import type { CountedIn } from './delivery-rows.ts';

/** What an attempt came to, as far as it is counted. */
export type CountedResult = 'succeeded' | 'failed';

/** As it is stored. */
export interface CounterRow extends SubscriptionCounters {
  /** Up to which round the outcomes of each run are counted in here. */
  readonly counted?: Readonly<Record<string, number>>;
}

/** What some outcomes add to the counters. */
export interface Addition {
  readonly increment: { readonly successCount: number; readonly failureCount: number };
  readonly set: Readonly<Record<string, unknown>>;
}

export const noAddition: Addition = { increment: { successCount: 0, failureCount: 0 }, set: {} };

/** One outcome more, later than those before. */
export const plus = (
  { increment, set }: Addition,
  delivery: Delivery,
  result: CountedResult,
  at: string,
): Addition => ({
  increment: {
    successCount: increment.successCount + (result === 'succeeded' ? 1 : 0),
    failureCount: increment.failureCount + (result === 'failed' ? 1 : 0),
  },
  set: {
    ...set,
    ...(delivery.dateSent !== null && { lastTriggeredUtc: delivery.dateSent }),
    ...(result === 'succeeded'
      ? { lastSuccessUtc: at, lastErrorMessage: null }
      : { lastFailureUtc: at, lastErrorMessage: delivery.errorMessage }),
  },
});

/** Where the counters keep how far a run is counted. */
export const countedField = (run: string): string => `counted.${run}`;

/**
 * Adds the outcomes of a round of a run, once however often it is tried: where an earlier try has done it and only its
 * answer was lost, or somebody has done it from the rows, no counters match. Errors: `EngineUnavailable`.
 */
export const addToCounters = async (
  stateStore: DocumentStore,
  subscriptionId: string,
  { run, round }: CountedIn,
  { increment, set }: Addition,
): Promise<void> => {
  const field = countedField(run);
  const patch: Patch = { increment, set: { ...set, [field]: round } };
  const isFirst = { _id: subscriptionId, [field]: { exists: false } };
  const isLater = { _id: subscriptionId, [field]: { lt: round } };
  const add = async (): Promise<boolean> =>
    (await stateStore.updateIf<CounterRow>(counterCollection, isLater, patch)) !== null ||
    (await stateStore.updateIf<CounterRow>(counterCollection, isFirst, patch)) !== null;
  if (await add()) return;
  // Another run may insert it first, with its own counts: ours are missing then as well.
  await stateStore.insertIfAbsent(counterCollection, zeroCounters(subscriptionId));
  await add();
};
