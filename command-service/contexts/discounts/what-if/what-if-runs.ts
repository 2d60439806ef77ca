import { isoInstant, type Clock } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { WhatIfResult } from './replay-sales.ts';
import type { WhatIfProgress } from './run-what-if.ts';

/** The rule that is not as it was, as it is told. */
export interface ChangedRule {
  readonly change: 'added' | 'removed';
  readonly id: string;
  readonly name: string;
  /** It has a code, and is taken as one that comes by itself. */
  readonly isAsAutomatic: boolean;
}

/** What was asked, and under what it is shown. */
export interface AskedWhatIf {
  readonly from: string;
  readonly to: string;
  readonly currency: string;
  readonly rule: ChangedRule | null;
}

export type RunProgress = Omit<WhatIfProgress, 'phase'> & {
  readonly phase: WhatIfProgress['phase'] | 'finished';
};

/** A what-if in the state store, so that every process of the shop sees it. */
export interface WhatIfRun extends Document {
  readonly status: 'Running' | 'Completed' | 'Failed';
  readonly asked: AskedWhatIf;
  readonly askedBy: string;
  /** The shop's time, ISO. */
  readonly startedAt: string;
  readonly message: string | null;
  readonly progress: RunProgress;
  /** Since it was started, real time. */
  readonly elapsedMs: number;
  readonly result: WhatIfResult | null;
}

/** There is one run at a time: this document is there while it is. */
interface CurrentRun extends Document {
  readonly runId: string;
  readonly instance: string;
  /** Real time, milliseconds: when the process was last seen at it. */
  readonly seenAt: number;
}

const runs = 'what_if_runs';
const current = 'what_if_current';
const CURRENT = 'current';
/** Longer than a process is ever held up. */
const LOST_AFTER_MS = 30_000;
const RUNS_KEPT = 20;

export const BROKEN_OFF = 'The shop was stopped while it was at it. Ask again.';

export interface RunStores {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly instanceId: string;
  /** Real time in milliseconds. Default: the machine's. */
  readonly realNow?: () => number;
}

/** A process that has this state store to itself knows that those before it are gone; others fall silent. */
const isLost = (
  { stateStore, instanceId, realNow = Date.now }: RunStores,
  { instance, seenAt }: CurrentRun,
): boolean => (stateStore.isOnlyWriter && instance !== instanceId) || realNow() - seenAt > LOST_AFTER_MS;

const underWay = ({ runId }: CurrentRun): Rejection =>
  new Rejection('run-under-way', `Another what-if is under way: ${runId}.`, { runId });

/** Marks a run as the one that is under way, in the place of one whose process is gone. */
const mark = async (stores: RunStores, runId: string): Promise<void> => {
  const { stateStore, instanceId, realNow = Date.now } = stores;
  const own: CurrentRun = { _id: CURRENT, runId, instance: instanceId, seenAt: realNow() };
  if (await stateStore.insertIfAbsent(current, own)) return;
  const other = await stateStore.get<CurrentRun>(current, CURRENT);
  if (other === null) return mark(stores, runId);
  if (!isLost(stores, other)) throw underWay(other);
  const { _id, runId: before, seenAt } = other;
  const { instance, seenAt: now } = own;
  const set = { runId, instance, seenAt: now };
  if (!(await stateStore.updateIf(current, { _id, runId: before, seenAt }, { set }))) throw underWay(other);
};

const letGo = ({ stateStore }: RunStores, runId: string): Promise<number> =>
  stateStore.deleteMany(current, { _id: CURRENT, runId }, 1);

const purge = async ({ stateStore }: RunStores): Promise<void> => {
  const old = await stateStore.find<WhatIfRun>(runs, { sort: [['startedAt', -1]], skip: RUNS_KEPT });
  for (const { _id } of old) await stateStore.deleteMany(runs, { _id }, 1);
};

const begin = async (stores: RunStores, asked: AskedWhatIf, askedBy: string): Promise<WhatIfRun> => {
  const { stateStore, clock } = stores;
  const run: WhatIfRun = {
    _id: newId(),
    status: 'Running',
    asked,
    askedBy,
    startedAt: isoInstant(clock.now()),
    message: null,
    progress: { phase: 'reading-cancellations', eventsRead: 0, position: 0, head: 0 },
    elapsedMs: 0,
    result: null,
  };
  await mark(stores, run._id);
  try {
    await stateStore.insertIfAbsent(runs, run);
    await purge(stores);
    return run;
  } catch (error) {
    await letGo(stores, run._id).catch(() => undefined);
    throw error;
  }
};

/** A run as it is now: of one whose process is gone, that it has failed. */
const load = async (stores: RunStores, id: string): Promise<WhatIfRun | null> => {
  const run = await stores.stateStore.get<WhatIfRun>(runs, id);
  if (run?.status !== 'Running') return run;
  const marked = await stores.stateStore.get<CurrentRun>(current, CURRENT);
  if (marked?.runId === id && !isLost(stores, marked)) return run;
  // It may have come to its end between the two looks.
  const latest = await stores.stateStore.get<WhatIfRun>(runs, id);
  return latest?.status === 'Running' ? { ...latest, status: 'Failed', message: BROKEN_OFF } : latest;
};

/** The last what-ifs, in the state store. */
export const createWhatIfRuns = (stores: RunStores) => {
  const { stateStore, realNow = Date.now } = stores;
  const change = async (_id: string, set: Partial<WhatIfRun>): Promise<boolean> =>
    (await stateStore.updateIf(runs, { _id, status: 'Running' }, { set })) !== null;
  return {
    /** Call it once at the start. */
    declare: async (): Promise<void> => {
      await stateStore.declare(runs, [{ fields: ['startedAt'] }]);
      await stateStore.declare(current);
    },
    /** Errors: `run-under-way`. */
    begin: (asked: AskedWhatIf, askedBy: string) => begin(stores, asked, askedBy),
    load: (id: string) => load(stores, id),
    /** Said every few seconds, so that the run does not pass for lost. False once it has been called off. */
    note: async (id: string, progress: RunProgress, elapsedMs: number): Promise<boolean> => {
      await stateStore.updateIf(current, { _id: CURRENT, runId: id }, { set: { seenAt: realNow() } });
      return change(id, { progress, elapsedMs });
    },
    end: async (id: string, end: Partial<WhatIfRun>): Promise<void> => {
      await change(id, end);
      await letGo(stores, id);
    },
    /** False where there is none. */
    remove: async (id: string): Promise<boolean> => {
      const removed = await stateStore.deleteMany(runs, { _id: id }, 1);
      await letGo(stores, id);
      return removed > 0;
    },
  };
};

export type WhatIfRuns = ReturnType<typeof createWhatIfRuns>;
