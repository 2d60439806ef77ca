import { isoInstant, type Clock } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { searchTextOf } from '#values/search.ts';
import type { CsvProfile } from './product-csv.ts';
import { createSyncFiles, type SyncFiles } from './product-sync-files.ts';
import { createSyncIssues, type PageOf, type SyncIssues } from './product-sync-issues.ts';

/** An import or export of a product file: what was asked, and how far it is (docs/guides/product-csv.md#runs). */
export interface SyncRun extends Document {
  readonly kind: 'import' | 'export';
  readonly profile: CsvProfile;
  readonly isDryRun: boolean;
  readonly status: 'Queued' | 'Running' | 'Completed' | 'Failed' | 'Cancelled';
  readonly message: string | null;
  readonly startedBy: string | null;
  readonly dateCreated: string;
  readonly dateCompleted: string | null;
  /** The number of times this run was started: writes of an earlier attempt are refused. */
  readonly attempt: number;
  /** A file is checked as a whole before anything of it is imported. */
  readonly isChecked: boolean;
  /** Of its file. */
  readonly parts: number;
  /** Rows. */
  readonly done: number;
  readonly total: number;
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly variantsRemoved: number;
  readonly errorCount: number;
  readonly warningCount: number;
  /** Of the last thing that it has changed. */
  readonly position: number;
  /** Kind, profile and who has started it. */
  readonly searchText?: string;
}

/** There is one run at a time: this document is there while it is. */
interface CurrentRun extends Document {
  readonly runId: string;
  /** The shop's time, milliseconds. */
  readonly since: number;
}

const runs = 'product_sync_runs';
const current = 'product_sync_current';
const CURRENT = 'current';

/** So long a run may take from its mark to its own document. */
const BEGINNING_MS = 60_000;
const DAY_MS = 86_400_000;
const RUNS_KEPT_MS = 90 * DAY_MS;
const FILES_KEPT_MS = 30 * DAY_MS;
const PURGED_TOGETHER = 100;

export type NewRun = Pick<SyncRun, 'kind' | 'profile' | 'isDryRun' | 'startedBy'>;

const newRun = (id: string, asked: NewRun, at: string, parts: number): SyncRun => ({
  _id: id,
  ...asked,
  status: 'Queued',
  message: null,
  dateCreated: at,
  dateCompleted: null,
  attempt: 0,
  isChecked: false,
  parts,
  done: 0,
  total: 0,
  created: 0,
  changed: 0,
  unchanged: 0,
  variantsRemoved: 0,
  errorCount: 0,
  warningCount: 0,
  position: 0,
  searchText: searchTextOf([asked.kind, asked.profile, asked.startedBy]),
});

interface Stores {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly files: SyncFiles;
  readonly issues: SyncIssues;
}

const loadRun = ({ stateStore }: Stores, id: string) => stateStore.get<SyncRun>(runs, id);

const letGo = ({ stateStore }: Stores, runId: string): Promise<unknown> =>
  stateStore.deleteMany(current, { _id: CURRENT, runId }, 1);

/** Marks a run as the one that is under way. Errors: `run-under-way`, naming the other one. */
const mark = async ({ stateStore, clock }: Stores, runId: string): Promise<void> => {
  const own: CurrentRun = { _id: CURRENT, runId, since: clock.now() };
  if (await stateStore.insertIfAbsent(current, own)) return;
  const other = await stateStore.get<CurrentRun>(current, CURRENT);
  const message = `Another import or export is under way${other ? `: run ${other.runId}` : ''}.`;
  throw new Rejection('run-under-way', message, other ? { runId: other.runId } : {});
};

const begin = async (stores: Stores, asked: NewRun, text: string): Promise<SyncRun> => {
  const { stateStore, clock, files } = stores;
  const id = newId();
  await mark(stores, id);
  try {
    const parts = await files.append(id, text, 0);
    const run = newRun(id, asked, isoInstant(clock.now()), parts);
    await stateStore.insertIfAbsent(runs, run);
    return run;
  } catch (error) {
    await files.forget(id).catch(() => undefined);
    await letGo(stores, id).catch(() => undefined);
    throw error;
  }
};

const underWayStatuses = ['Queued', 'Running'];
const isOver = ({ status }: SyncRun): boolean => !underWayStatuses.includes(status);

/** The run that is under way. A mark that was left behind without one is taken away. */
const underWay = async (stores: Stores): Promise<SyncRun | null> => {
  const { stateStore, clock, files } = stores;
  const marked = await stateStore.get<CurrentRun>(current, CURRENT);
  if (!marked) return null;
  const run = await loadRun(stores, marked.runId);
  if (run && !isOver(run)) return run;
  if (!run && clock.now() - marked.since <= BEGINNING_MS) return null;
  if (!run) await files.forget(marked.runId);
  await letGo(stores, marked.runId);
  return null;
};

/** Null when another process has taken it over. */
const note = (
  { stateStore }: Stores,
  { _id, attempt }: SyncRun,
  set: Partial<SyncRun>,
): Promise<SyncRun | null> => stateStore.updateIf<SyncRun>(runs, { _id, attempt }, { set });

const purgeRun = async (stores: Stores, run: SyncRun, isRunOver: boolean): Promise<void> => {
  const { stateStore, files, issues } = stores;
  await files.forget(run._id);
  if (!isRunOver) return void (await note(stores, run, { parts: 0 }));
  await issues.forget(run._id);
  await stateStore.deleteMany(runs, { _id: run._id }, 1);
};

/** Runs are kept for 90 days, their files for 30. */
const purge = async (
  stores: Stores,
  now: number,
): Promise<{ readonly runs: number; readonly files: number }> => {
  const filter = { dateCreated: { lt: isoInstant(now - FILES_KEPT_MS) } };
  const removed = { runs: 0, files: 0 };
  for (let skip = 0; ;) {
    const page = { filter, sort: [['dateCreated', 1]] as const, skip, limit: PURGED_TOGETHER };
    const old = await stores.stateStore.find<SyncRun>(runs, page);
    for (const run of old) {
      const isRunOld = Date.parse(run.dateCreated) < now - RUNS_KEPT_MS;
      if (isOver(run) && (isRunOld || run.parts > 0)) {
        await purgeRun(stores, run, isRunOld);
        removed[isRunOld ? 'runs' : 'files']++;
      }
      if (!isRunOld || !isOver(run)) skip++;
    }
    if (old.length < PURGED_TOGETHER) return removed;
  }
};

/** Runs in the state store, with their issues and files: every process of the shop sees them. */
export const createSyncRuns = (stateStore: DocumentStore, clock: Clock) => {
  const stores: Stores = {
    stateStore,
    clock,
    files: createSyncFiles(stateStore),
    issues: createSyncIssues(stateStore),
  };
  const { files, issues } = stores;
  return {
    files,
    issues,
    /** Call it once at the start. */
    declare: async (): Promise<void> => {
      await stateStore.declare(runs, [{ fields: ['dateCreated'] }]);
      await stateStore.declare(current);
      await Promise.all([files.declare(), issues.declare()]);
    },
    begin: (asked: NewRun, text: string) => begin(stores, asked, text),
    load: (id: string) => loadRun(stores, id),
    underWay: () => underWay(stores),
    /** Takes over a run; null when another process has, or when it is over. */
    takeOn: ({ _id, attempt }: SyncRun): Promise<SyncRun | null> =>
      stateStore.updateIf<SyncRun>(
        runs,
        { _id, attempt, status: { in: underWayStatuses } },
        { set: { status: 'Running' }, increment: { attempt: 1 } },
      ),
    note: (run: SyncRun, set: Partial<SyncRun>) => note(stores, run, set),
    finish: async (
      run: SyncRun,
      status: 'Completed' | 'Failed',
      message: string,
      more: Partial<SyncRun> = {},
    ): Promise<void> => {
      const dateCompleted = isoInstant(clock.now());
      if (await note(stores, run, { ...more, status, message, dateCompleted })) await letGo(stores, run._id);
    },
    /** Ends a run wherever it is worked on, within a moment; null where it is over, or unknown. */
    callOff: async (id: string, message: string): Promise<SyncRun | null> => {
      const set = { status: 'Cancelled', message, dateCompleted: isoInstant(clock.now()) } as const;
      // Its worker can no longer record progress.
      const ended = await stateStore.updateIf<SyncRun>(
        runs,
        { _id: id, status: { in: underWayStatuses } },
        { set, increment: { attempt: 1 } },
      );
      if (ended) await letGo(stores, id);
      return ended;
    },
    list: async ({ page, pageSize, search }: PageOf) => {
      const skip = (page - 1) * pageSize;
      const filter = search ? { _id: { gte: '' }, searchText: { contains: search.toLowerCase() } } : {};
      const [items, total] = await Promise.all([
        stateStore.find<SyncRun>(runs, { filter, sort: [['dateCreated', -1]], skip, limit: pageSize }),
        stateStore.count(runs, filter),
      ]);
      return { items, total };
    },
    purge: (now: number) => purge(stores, now),
  };
};

export type SyncRuns = ReturnType<typeof createSyncRuns>;
