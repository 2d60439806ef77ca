import {
  createRunMarks,
  type RunMark,
  type RunMarkOptions,
  type RunMarks,
} from '#command/engine/run-marks.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import type { Job } from '#runtime/job-runner.ts';

/** A sync with a provider as the backoffice lists it, under the lease of the process that works on it. */
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
}

export interface SyncLogsOptions extends RunMarkOptions {
  readonly clock: Clock;
  readonly retentionDays: number;
}

export type SyncFigures = Pick<SyncLog, 'itemsProcessed' | 'itemsSucceeded' | 'itemsFailed'>;

const collection = 'fulfilment_sync_logs';
const DAY_MS = 86_400_000;
const TAKEN_TOGETHER = 500;
const unfinished = { status: { in: ['Pending', 'Running'] } };
const interrupted = 'The shop was stopped while it was at it. Start it again.';

const ending =
  ({ stateStore, clock }: SyncLogsOptions) =>
  (
    { _id, run }: SyncLog,
    set: Partial<SyncFigures> & Pick<SyncLog, 'status' | 'errorMessage'>,
  ): Promise<SyncLog | null> =>
    stateStore.updateIf<SyncLog>(
      collection,
      { ...unfinished, _id, run },
      { set: { ...set, completedAt: isoInstant(clock.now()) } },
    );

/** Ends what a process left behind that went away, and forgets what is old. */
const cleanup = (
  { stateStore, retentionDays }: SyncLogsOptions,
  marks: Pick<RunMarks<SyncLog>, 'takeOver'>,
  end: ReturnType<typeof ending>,
): Job => ({
  name: 'fulfilment-cleanup',
  schedule: '7 * * * *',
  runOnce: async (now) => {
    const open = await stateStore.find<SyncLog>(collection, { filter: unfinished, limit: TAKEN_TOGETHER });
    let interruptedSyncs = 0;
    for (const row of open) {
      const taken = await marks.takeOver(row);
      if (taken && (await end(taken, { status: 'Failed', errorMessage: interrupted }))) interruptedSyncs++;
    }
    const old = { startedAt: { lt: isoInstant(now - retentionDays * DAY_MS) } };
    let removed = 0;
    for (let last = -1; last !== 0; removed += last)
      last = await stateStore.deleteMany(collection, old, TAKEN_TOGETHER);
    return { interruptedSyncs, removed };
  },
});

/** Declares its collection; call it once at start. */
export const createSyncLogs = async (options: SyncLogsOptions) => {
  const { stateStore, clock } = options;
  await stateStore.declare(collection, [
    { fields: ['startedAt'] },
    { fields: ['status'] },
    { fields: ['providerConfigurationId', 'startedAt'] },
  ]);
  const marks = createRunMarks<SyncLog>(collection, unfinished, options);

  const end = ending(options);

  return {
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
        ...marks.begin(),
      };
      await stateStore.insertIfAbsent(collection, row);
      return row;
    },
    keepLease: marks.keepLease,
    end,
    load: (id: string) => stateStore.get<SyncLog>(collection, id),
    list: async (filter: { readonly providerConfigurationId?: string }, page: number, pageSize: number) => {
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
