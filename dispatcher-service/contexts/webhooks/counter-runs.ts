import type { Logger } from 'pino';
import { counterCollection } from '#topics/webhook-delivery.ts';
import { pause } from '#runtime/back-off.ts';
import { workUnder, type Lease, type Leases } from '#runtime/leases.ts';
import { newId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { findDeliveries, counterRunsCollection, type DeliveryRow } from './delivery-rows.ts';
import {
  addToCounters,
  countedField,
  noAddition,
  ofEarlier,
  withOutcome,
  type CounterRow,
} from './counter-rows.ts';

export interface CounterRunsOptions {
  readonly stateStore: DocumentStore;
  readonly leases: Leases;
  /** Ids of all subscriptions that there are by now. Rejects when that is not known. */
  readonly subscriptionIds: () => Promise<readonly string[]>;
  readonly log: Pick<Logger, 'warn'>;
}

/** The runs of dispatchers that count outcomes: this one, and those that ended without having counted all of theirs. */
export interface CounterRuns {
  /** Names this one. */
  readonly own: string;
  /**
   * Counts what runs that were killed had recorded and not yet counted, from the rows of each subscription. Returns how
   * many outcomes; others who ask meanwhile wait for the same. Errors: `EngineUnavailable`.
   */
  recover(): Promise<number>;
  /** Forgets how far runs were counted that are over. Errors: `EngineUnavailable`. */
  tidy(): Promise<void>;
  /** `isAllCounted`: nothing of this run need be recovered. Never rejects. */
  close(isAllCounted: boolean): Promise<void>;
}

/** Long enough for a short outage of the store, shorter than the first delay of a retry usually is. */
const LEASE_MILLISECONDS = 30_000;
const PAGE = 1000;

const leaseName = (run: string): string => `webhook tallies ${run}`;

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * A run stands in the state store, and is known to live by its lease, from before its first outcome until all of them
 * are counted. One that stands there without a living lease was killed; its next holder counts what is left.
 */
export const openCounterRun = async (options: CounterRunsOptions): Promise<CounterRuns> => {
  const { stateStore, leases, subscriptionIds, log } = options;
  const own = newId();
  const stopping = new AbortController();
  const leaseOf = (run: string): Promise<Lease | null> =>
    leases.acquire(leaseName(run), own, LEASE_MILLISECONDS, { isPassing: true });

  const register = async (): Promise<Lease | null> => {
    const lease = await leaseOf(own);
    if (lease) await stateStore.insertIfAbsent(counterRunsCollection, { _id: own });
    return lease;
  };
  /** Taken for dead while the store was away for long, it registers again: its later rounds count as before. */
  const stand = async (first: Lease | null): Promise<void> => {
    for (let lease = first; !stopping.signal.aborted;) {
      try {
        lease ??= await register();
        if (lease) await workUnder(lease, LEASE_MILLISECONDS, ended, stopping.signal);
      } catch (error) {
        log.warn({ err: error }, 'the run that counts deliveries is not registered, trying again');
      }
      lease = null;
      await pause(1000, stopping.signal);
    }
  };
  const standing = stand(await register());

  const recoverOne = async (run: string): Promise<number> => {
    const lease = await leaseOf(run);
    if (!lease) return 0;
    return workUnder(lease, LEASE_MILLISECONDS, async () => {
      // It may have ended well, or be recovered, since it was found.
      if (!(await stateStore.get(counterRunsCollection, run))) return 0;
      const counted = await countFromRows(stateStore, run, await subscriptionIds());
      await stateStore.deleteMany(counterRunsCollection, { _id: run }, 1);
      return counted;
    });
  };
  const recoverAll = async (): Promise<number> => {
    let recovered = 0;
    for (const run of await standingRuns(stateStore)) if (run !== own) recovered += await recoverOne(run);
    return recovered;
  };
  let recovering: Promise<number> | null = null;

  return {
    own,
    recover: () =>
      (recovering ??= recoverAll().finally(() => {
        recovering = null;
      })),
    tidy: async () => forgetEnded(stateStore, await subscriptionIds()),
    close: async (isAllCounted) => {
      // Before the lease is given back. Should it fail, the next one finds nothing to count.
      if (isAllCounted)
        await stateStore.deleteMany(counterRunsCollection, { _id: own }, 1).catch(() => undefined);
      stopping.abort();
      await standing;
    },
  };
};

const standingRuns = async (stateStore: DocumentStore): Promise<readonly string[]> =>
  (await stateStore.find<Document>(counterRunsCollection)).map(({ _id }) => _id);

/** Outcomes of a run that are recorded after the round up to which they are counted. */
const uncountedRows = async (
  stateStore: DocumentStore,
  subscriptionId: string,
  run: string,
  after: number,
): Promise<readonly DeliveryRow[]> => {
  const filter = { subscriptionId, 'countedIn.run': run, 'countedIn.round': { gt: after } };
  const rows: DeliveryRow[] = [];
  for (;;) {
    const options = { filter, sort: [['_id', 1]], skip: rows.length, limit: PAGE } as const;
    const page = await findDeliveries(stateStore, options);
    rows.push(...page);
    if (page.length < PAGE)
      return rows.toSorted((one, other) => (outcomeAt(one) < outcomeAt(other) ? -1 : 1));
  }
};

const outcomeAt = ({ dateCompleted, dateSent, dateCreated }: DeliveryRow): string =>
  dateCompleted ?? dateSent ?? dateCreated;

const countFromRows = async (
  stateStore: DocumentStore,
  run: string,
  subscriptionIds: readonly string[],
): Promise<number> => {
  const stored = await countersOf(stateStore, subscriptionIds);
  let counted = 0;
  for (const subscriptionId of subscriptionIds) {
    const counters = stored.get(subscriptionId);
    const rows = await uncountedRows(stateStore, subscriptionId, run, counters?.counted?.[run] ?? 0);
    if (rows.length === 0) continue;
    const addition = rows.reduce(
      (sum, row) =>
        withOutcome(sum, row, row.status === 'Succeeded' ? 'succeeded' : 'failed', outcomeAt(row)),
      noAddition,
    );
    const round = Math.max(...rows.map(({ countedIn }) => countedIn?.round ?? 0));
    // Others may have delivered since.
    const isLatest = (counters?.lastTriggeredUtc ?? '') <= (rows.at(-1)?.dateSent ?? '');
    await addToCounters(
      stateStore,
      subscriptionId,
      { run, round },
      isLatest ? addition : ofEarlier(addition),
    );
    counted += rows.length;
  }
  return counted;
};

const countersOf = async (
  stateStore: DocumentStore,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CounterRow>> => {
  const found = await stateStore.getMany<CounterRow>(counterCollection, ids);
  return new Map(found.map((counters) => [counters._id, counters]));
};

const forgetEnded = async (stateStore: DocumentStore, subscriptionIds: readonly string[]): Promise<void> => {
  const stored = await countersOf(stateStore, subscriptionIds);
  // Read after the counters: a run is registered before any names it.
  const runs = await standingRuns(stateStore);
  for (const { _id, counted = {} } of stored.values()) {
    const over = Object.keys(counted).filter((run) => !runs.includes(run));
    const patch = { unset: over.map(countedField) };
    if (over.length > 0) await stateStore.updateIf<CounterRow>(counterCollection, { _id }, patch);
  }
};
