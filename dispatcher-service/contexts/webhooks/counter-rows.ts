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
  readonly increment: {
    readonly successCount: number;
    readonly failureCount: number;
    readonly givenUpCount: number;
  };
  /** Attempts that failed since the last that succeeded; of these outcomes, or where none did, of those before, too. */
  readonly failuresInARow: { readonly count: number; readonly continuesEarlier: boolean };
  readonly set: Readonly<Record<string, unknown>>;
}

export const noAddition: Addition = {
  increment: { successCount: 0, failureCount: 0, givenUpCount: 0 },
  failuresInARow: { count: 0, continuesEarlier: true },
  set: {},
};

const rowAfter = (
  before: Addition['failuresInARow'],
  { dateSent }: Delivery,
  result: CountedResult,
): Addition['failuresInARow'] => {
  if (result === 'succeeded') return { count: 0, continuesEarlier: false };
  // What was too large to be sent says nothing of the receiver.
  return dateSent === null ? before : { ...before, count: before.count + 1 };
};

/** One outcome more, later than those before. */
export const withOutcome = (
  { increment, failuresInARow, set }: Addition,
  delivery: Delivery,
  result: CountedResult,
  at: string,
): Addition => ({
  increment: {
    successCount: increment.successCount + (result === 'succeeded' ? 1 : 0),
    failureCount: increment.failureCount + (result === 'failed' ? 1 : 0),
    givenUpCount: increment.givenUpCount + (delivery.status === 'Abandoned' && !delivery.isTest ? 1 : 0),
  },
  failuresInARow: rowAfter(failuresInARow, delivery, result),
  set: {
    ...set,
    ...(delivery.dateSent !== null && { lastTriggeredUtc: delivery.dateSent }),
    ...(result === 'succeeded'
      ? { lastSuccessUtc: at, lastErrorMessage: null }
      : { lastFailureUtc: at, lastErrorMessage: delivery.errorMessage }),
  },
});

/** An addition of outcomes that others followed: what they say of the latest attempts stands. */
export const ofEarlier = ({ increment }: Addition): Addition => ({ ...noAddition, increment });

const patchOf = ({ increment, failuresInARow, set }: Addition, counted: Record<string, number>): Patch => {
  const { count, continuesEarlier } = failuresInARow;
  return continuesEarlier
    ? { increment: { ...increment, failuresInARow: count }, set: { ...set, ...counted } }
    : { increment, set: { ...set, ...counted, failuresInARow: count } };
};

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
  addition: Addition,
): Promise<void> => {
  const field = countedField(run);
  const patch = patchOf(addition, { [field]: round });
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
