import type { AsOf } from '#contracts/as-of.contract.ts';
import type { ReplayRecord } from '#contracts/replay.contract.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import { Rejection } from '#kernel/rejection.ts';
import { logUpTo } from '#log/log-up-to.ts';
import type { EventCodec } from '#log/codec.ts';
import { instantOf } from '#log/log-span.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { MAX_PAGE, START, type EventStore } from '#ports/event-store.ts';
import type { Config } from '#runtime/config.ts';
import { settingsOver } from '#values/store-settings.ts';
import { closeEngines } from '../../../shared-kernel/open-engines.ts';
import { openOffline } from '../../../shared-kernel/open-offline.ts';
import { runtimeParts, type Runtime } from '../../../shared-kernel/open-runtime.ts';
import type { Generation } from '../../engine/generations.ts';
import { projectionsOf } from '../../engine/join-modules.ts';
import { createMoments } from '../../engine/moments.ts';
import { reachHead } from '../../engine/reach-head.ts';
import { rebuildAll } from '../../engine/rebuild.ts';
import type { RebuildProgress } from '../../engine/rebuilds/fill-views.ts';
import { followTimes } from '../../engine/time-index.ts';
import { modules } from '../../modules.ts';
import {
  lookAtFolder,
  markFolder,
  openReplayViews,
  removeReplay,
  writeRecord,
  type FreeFolder,
} from './replay-folder.ts';

export interface Watched {
  readonly onProgress: (progress: RebuildProgress) => void;
  readonly signal: AbortSignal;
}

export interface ReplayWanted {
  readonly until: AsOf;
  readonly folder: string;
  /** Null for all of them. */
  readonly views: readonly string[] | null;
}

/**
 * Fills the read models of a moment into a folder of their own. The shop, which may be running, is only read. When it
 * is called off or fails, the folder is as before. Errors: `Error` that says what to do; `AbortError`.
 */
export const makeReplay = async (
  config: Config,
  { folder, until, ...wanted }: ReplayWanted,
  watched: Watched,
): Promise<ReplayRecord> => {
  const state = freeFolder(folder);
  const projections = projectionsNamed(wanted.views);
  const runtime = await openOffline(config);
  try {
    const moment = await momentOf(runtime, config, until);
    const views = projections.map(({ name }) => name);
    const begun: ReplayRecord = { ...moment, views, logHead: moment.position, madeAt: null };
    return await fillFolder(folder, state, begun, runtime, watched);
  } finally {
    await runtime.close();
  }
};

const freeFolder = (folder: string): FreeFolder => {
  const state = lookAtFolder(folder);
  if (state.kind === 'free') return state;
  throw new Error(
    state.kind === 'replay'
      ? `${folder} holds the shop as of ${state.record.until}: serve it with --serve and without --until, or name another folder with --to.`
      : `${folder} is not empty, and holds no replay: name another folder with --to.`,
  );
};

const projectionsNamed = (names: readonly string[] | null): readonly AnyProjection[] => {
  const projections = projectionsOf(modules);
  if (names === null) return projections;
  const unknown = names.filter((name) => !projections.some((one) => one.name === name));
  if (unknown.length > 0)
    throw new Error(`There is no view "${unknown.join('", "')}"; tillroll projections list shows them.`);
  return projections.filter(({ name }) => names.includes(name));
};

type Reached = Pick<ReplayRecord, 'until' | 'position' | 'eventId'>;

const momentOf = async (runtime: Runtime, config: Config, until: AsOf): Promise<Reached> => {
  const { store, feed, reference } = runtime;
  await feed.start();
  const times = await followTimes(runtime);
  const settings = () => settingsOver(reference.settings.current(), config.store);
  try {
    const head = await store.head();
    await reachHead([...runtimeParts(runtime).followers, ...(times.parts.followers ?? [])], head);
    const last = await store.eventAt(head);
    const lastAt = (last && instantOf(last)) ?? -Infinity;
    const moment = await createMoments({ ...runtime, times, settings })
      .of(until)
      .catch((error: unknown) => {
        if (error instanceof Rejection) return null;
        throw error;
      });
    if (!moment || moment.instant > lastAt)
      throw new Error(
        last
          ? `--until is after the end of the log: the last event was recorded at ${isoInstant(lastAt)}.`
          : 'The log is empty: there is nothing to replay.',
      );
    const { instant, position } = moment;
    const event = position === START ? null : await store.eventAt(position);
    if (!event) throw new Error(`Nothing had been recorded by ${isoInstant(instant)}: name a later --until.`);
    return { until: isoInstant(instant), position, eventId: event.id };
  } finally {
    await times.parts.stop?.();
  }
};

/** From the lock on the views on, no other process makes a replay there. */
const fillFolder = async (
  folder: string,
  before: FreeFolder,
  begun: ReplayRecord,
  runtime: Runtime,
  watched: Watched,
): Promise<ReplayRecord> => {
  markFolder(folder, begun);
  const engines = await openReplayViews(folder);
  let isKept = false;
  try {
    // Another process may have finished one while this one looked up its moment.
    isKept = lookAtFolder(folder).kind === 'replay';
    freeFolder(folder);
    writeRecord(folder, begun);
    const record = await fillReplay(folder, begun, { ...runtime, readStore: engines.readStore }, watched);
    isKept = true;
    return record;
  } finally {
    await closeEngines(engines);
    if (!isKept) removeReplay(folder, before);
  }
};

/** The whole log of the shop, and where the views of a moment are kept. */
export interface ReplaySources {
  readonly store: EventStore;
  readonly codec: EventCodec;
  readonly readStore: DocumentStore;
}

/**
 * Fills the views of a replay, in place of those that it had, and says so in its record. Who is forgotten meanwhile
 * is forgotten here, too. Errors: `AbortError`; `Error` where a view cannot take an event.
 */
export const fillReplay = async (
  folder: string,
  begun: ReplayRecord,
  { store, codec, readStore }: ReplaySources,
  watched: Watched,
): Promise<ReplayRecord> => {
  const projections = projectionsNamed(begun.views);
  for (let isFirst = begun.madeAt === null; ; isFirst = false) {
    const logHead = await store.head();
    codec.keys.dropKnown();
    const log = logUpTo(store, begun.position);
    const filled = await rebuildAll(projections, { ...watched, store: log, codec, readStore });
    const stopped = filled.findIndex(({ checkpoint }) => checkpoint.position < begun.position);
    if (stopped >= 0) throw new Error(poisoned(projections[stopped], filled[stopped]));
    if (!isFirst) await readStore.erase({ occasion: logHead });
    if (await isForgottenAfter(store, logHead)) continue;
    const record = { ...begun, logHead, madeAt: isoInstant(Date.now()) };
    writeRecord(folder, record);
    return record;
  }
};

const poisoned = (view?: AnyProjection, reached?: Generation): string =>
  `The view ${view?.name} cannot take the event after position ${reached?.checkpoint.position}: ` +
  'name the views that you need with --views, without this one.';

const forgettings: ReadonlySet<string> = new Set(['CustomerForgotten']);

/** Whether someone was forgotten after a position of the log. Errors: `EngineUnavailable`. */
export const isForgottenAfter = async (
  store: Pick<EventStore, 'readAll'>,
  position: number,
): Promise<boolean> => {
  for (let after = position; ;) {
    const page = await store.readAll(after, MAX_PAGE, forgettings);
    const last = page.at(-1);
    if (!last) return false;
    if (page.some(({ type }) => forgettings.has(type))) return true;
    after = last.position;
  }
};
