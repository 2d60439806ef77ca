import {
  createRunMarks,
  type RunMark,
  type RunMarkOptions,
  type RunMarks,
} from '#command/engine/run-marks.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { defined } from '#kernel/defined.ts';
import { newId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Job } from '#runtime/job-runner.ts';
import { searchTextOf } from '#values/search.ts';

/** A sync as the backoffice lists it, under the lease of the process that runs it. */
export interface SyncLog extends RunMark {
  readonly providerConfigurationId: string;
  readonly syncType: 'ProductsOut' | 'InventoryIn';
  readonly status: 'Pending' | 'Running' | 'Completed' | 'Failed';
  readonly itemsProcessed: number;
  readonly itemsSucceeded: number;
  readonly itemsFailed: number;
  readonly errorMessage: string | null;
  readonly startedAt: string;
  readonly completedAt: string | null;
  /** Its type and error, for search. */
  readonly searchText?: string;
}

export interface SyncLogsOptions extends RunMarkOptions {
  readonly clock: Clock;
  readonly retentionDays: number;
}

export interface SyncLogQuery {
  readonly page: number;
  readonly pageSize: number;
  readonly configurationId?: string | undefined;
  readonly search?: string | undefined;
}

export type SyncFigures = Pick<SyncLog, 'itemsProcessed' | 'itemsSucceeded' | 'itemsFailed'>;

/** The one running sync of a kind and provider, whichever process began it. */
interface CurrentSync extends Document {
  readonly syncId: string;
}

const collection = 'fulfilment_sync_logs';
const current = 'fulfilment_syncs_under_way';
const DAY_MS = 86_400_000;
const TAKEN_TOGETHER = 500;
const unfinished = { status: { in: ['Pending', 'Running'] } };
const interrupted = 'The shop was stopped during this run. Start it again.';

const placeOf = ({ providerConfigurationId, syncType }: SyncLog): string =>
  `${providerConfigurationId} ${syncType}`;

/** What a dying process leaves behind is removed by the next sync. */
const ending =
  ({ stateStore, clock }: SyncLogsOptions) =>
  async (
    row: SyncLog,
    set: Partial<SyncFigures> & Pick<SyncLog, 'status' | 'errorMessage'>,
  ): Promise<SyncLog | null> => {
    const { _id, run } = row;
    const ended = await stateStore.updateIf<SyncLog>(
      collection,
      { ...unfinished, _id, run },
      {
        set: {
          ...set,
          completedAt: isoInstant(clock.now()),
          searchText: searchTextOf([row.syncType, set.errorMessage]),
        },
      },
    );
    if (ended) await stateStore.deleteMany(current, { _id: placeOf(row), syncId: _id }, 1);
    return ended;
  };

type Marks = Pick<RunMarks<SyncLog>, 'takeOver'>;

/** Ends a sync whose process is gone. False if it is alive. */
const endAbandoned = async (marks: Marks, end: ReturnType<typeof ending>, row: SyncLog): Promise<boolean> => {
  const taken = await marks.takeOver(row);
  return taken !== null && (await end(taken, { status: 'Failed', errorMessage: interrupted })) !== null;
};

/** Errors: `run-under-way`, naming the sync that must end first. */
const claiming =
  ({ stateStore }: SyncLogsOptions, marks: Marks, end: ReturnType<typeof ending>) =>
  async (row: SyncLog): Promise<void> => {
    const own: CurrentSync = { _id: placeOf(row), syncId: row._id };
    while (!(await stateStore.insertIfAbsent(current, own))) {
      const claimed = await stateStore.get<CurrentSync>(current, own._id);
      const other = claimed && (await stateStore.get<SyncLog>(collection, claimed.syncId));
      const isOver = other === null || other.completedAt !== null || (await endAbandoned(marks, end, other));
      if (claimed && !isOver) {
        const message = `A sync of this kind with this provider is under way: ${claimed.syncId}.`;
        throw new Rejection('run-under-way', message, { syncId: claimed.syncId });
      }
      if (claimed) await stateStore.deleteMany(current, { ...claimed }, 1);
    }
  };

/** Ends syncs of processes that are gone, and deletes old rows. */
const cleanup = (
  { stateStore, retentionDays }: SyncLogsOptions,
  marks: Marks,
  end: ReturnType<typeof ending>,
): Job => ({
  name: 'fulfilment-cleanup',
  schedule: '7 * * * *',
  runOnce: async (now) => {
    const open = await stateStore.find<SyncLog>(collection, { filter: unfinished, limit: TAKEN_TOGETHER });
    let interruptedSyncs = 0;
    for (const row of open) if (await endAbandoned(marks, end, row)) interruptedSyncs++;
    const old = { startedAt: { lt: isoInstant(now - retentionDays * DAY_MS) } };
    let removed = 0;
    for (let last = -1; last !== 0; removed += last)
      last = await stateStore.deleteMany(collection, old, TAKEN_TOGETHER);
    return { interruptedSyncs, removed };
  },
});

/** Declares its collection: call it once, at the start. */
export const createSyncLogs = async (options: SyncLogsOptions) => {
  const { stateStore, clock } = options;
  await stateStore.declare(collection, [
    { fields: ['startedAt'] },
    { fields: ['status'] },
    { fields: ['providerConfigurationId', 'startedAt'] },
  ]);
  await stateStore.declare(current);
  const marks = createRunMarks<SyncLog>(collection, unfinished, options);

  const end = ending(options);
  const claim = claiming(options, marks, end);

  return {
    /** Errors: `run-under-way`. */
    begin: async (providerConfigurationId: string, syncType: SyncLog['syncType']): Promise<SyncLog> => {
      const row: SyncLog = {
        _id: newId(),
        providerConfigurationId,
        syncType,
        status: 'Running',
        itemsProcessed: 0,
        itemsSucceeded: 0,
        itemsFailed: 0,
        errorMessage: null,
        startedAt: isoInstant(clock.now()),
        completedAt: null,
        searchText: searchTextOf([syncType]),
        ...marks.begin(),
      };
      await stateStore.insertIfAbsent(collection, row);
      try {
        await claim(row);
      } catch (error) {
        await stateStore.deleteMany(collection, { _id: row._id }, 1);
        throw error;
      }
      return row;
    },
    keepLease: marks.keepLease,
    end,
    load: (id: string) => stateStore.get<SyncLog>(collection, id),
    list: async ({ configurationId, search, page, pageSize }: SyncLogQuery) => {
      const filter = {
        ...defined({ providerConfigurationId: configurationId }),
        ...(search && { _id: { gte: '' }, searchText: { contains: search.toLowerCase() } }),
      };
      const [items, total] = await Promise.all([
        stateStore.find<SyncLog>(collection, {
          filter,
          sort: [['startedAt', -1]],
          skip: (page - 1) * pageSize,
          limit: pageSize,
        }),
        stateStore.count(collection, filter),
      ]);
      return { items, total };
    },
    cleanup: cleanup(options, marks, end),
  };
};

export type SyncLogs = Awaited<ReturnType<typeof createSyncLogs>>;
