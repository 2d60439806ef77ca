import type { ReplayRecord } from '#contracts/replay.contract.ts';
import { confirmMark } from '#log/confirm-mark.ts';
import { logUpTo } from '#log/log-up-to.ts';
import { collection as snapshots } from '#log/snapshot-chunks.ts';
import { pause } from '#runtime/back-off.ts';
import type { Config } from '#runtime/config.ts';
import { createLogger } from '#runtime/logging.ts';
import { standingClock } from '#runtime/shop-clock.ts';
import { settingsOver, type StoreSettings } from '#values/store-settings.ts';
import { closeEngines, type Engines } from '../../../shared-kernel/open-engines.ts';
import { openEnginesOffline } from '../../../shared-kernel/open-offline.ts';
import { openRuntime, runtimeParts, type Runtime } from '../../../shared-kernel/open-runtime.ts';
import { projectionsOf } from '../../engine/join-modules.ts';
import { reachHead } from '../../engine/reach-head.ts';
import { viewsAtRest, type ViewsAtRest } from '../../engine/views-at-rest.ts';
import { createProjectionService, type ProjectionService } from '../../main.ts';
import { modules } from '../../modules.ts';
import { fillReplay, isForgottenAfter, type ReplaySources, type Watched } from './make-replay.ts';
import { lookAtFolder, openReplayViews } from './replay-folder.ts';

/** The projection service of a moment: the log ends there, the clock stands, and the views are those of a folder. */
export interface OpenMoment {
  readonly runtime: Runtime;
  readonly service: ProjectionService;
  /** As they were then, under the configuration of today. */
  readonly settings: () => StoreSettings;
  readonly record: ReplayRecord;
  close(): Promise<void>;
}

/** Keys of people who are forgotten may be known for a minute more, in any process. */
const LOOK_FOR_FORGOTTEN_MILLISECONDS = 20_000;

export const recordOf = (folder: string): ReplayRecord => {
  const state = lookAtFolder(folder);
  if (state.kind === 'replay') return state.record;
  throw new Error(`There is no replay in ${folder}: make one with --until, or name its folder with --to.`);
};

/**
 * Opens a replay. Of the shop, which may be running, log and state store are read, for what is not in the folder; its
 * views are filled again where someone has been forgotten since. Errors: `Error` that says what to do; `AbortError`.
 */
export const openMoment = async (
  config: Config,
  folder: string,
  applicationKey: Buffer,
  watched: Watched,
): Promise<OpenMoment> => {
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let next = closing.pop(); next; next = closing.pop()) await next();
  };
  try {
    const made = recordOf(folder);
    const shop = await openEnginesOffline(config);
    closing.push(() => closeEngines(shop));
    await refuseOtherLog(shop, made, folder);
    const runtime = await openRuntimeOf(shop, made, folder, applicationKey);
    closing.push(() => runtime.close());
    const sources = { ...runtime, store: shop.store };
    const record = (await isForgottenAfter(shop.store, made.logHead))
      ? await fillReplay(folder, made, sources, watched)
      : made;
    const views = await viewsAtRest(runtime.readStore, projectionsOf(modules), new Set(record.views));
    refuseOlder(views, folder);
    const settings = () => settingsOver(runtime.reference.settings.current(), config.store);
    const service = await createProjectionService({
      runtime,
      settings,
      namedRateProvider: config.exchangeRates.provider,
      downloadTokenSecret: config.downloads.downloadTokenSecret,
      ucp: config.protocol.ucp,
      agentBaseUrl: config.protocol.publicBaseUrl,
      runViews: () => Promise.resolve(views.engine),
    });
    closing.push(() => service.stop());
    await runtime.feed.start();
    await reachHead(runtimeParts(runtime).followers, record.position);
    closing.push(forgetToo(views, folder, record, sources));
    return { runtime, service, settings, record, close };
  } catch (error) {
    await close();
    throw error;
  }
};

const refuseOtherLog = async (
  { store }: Engines,
  { position, eventId }: ReplayRecord,
  folder: string,
): Promise<void> => {
  if ((await confirmMark(store, { position, eventId })) === null)
    throw new Error(
      `${folder} is not of this shop: its log does not hold the event at which the replay ends.`,
    );
};

/** Snapshots of reference state are of the present, and begin again here. */
const openRuntimeOf = async (
  { store, stateStore, bus }: Engines,
  { until, position }: ReplayRecord,
  folder: string,
  applicationKey: Buffer,
): Promise<Runtime> => {
  await stateStore.drop(snapshots);
  const { readStore } = await openReplayViews(folder);
  const engines = { store: logUpTo(store, position), readStore, stateStore, bus };
  try {
    return await openRuntime({
      engines,
      applicationKey,
      log: createLogger('warn', 'tillroll'),
      clock: standingClock(Date.parse(until)),
    });
  } catch (error) {
    await readStore.close();
    throw error;
  }
};

const refuseOlder = ({ engine }: ViewsAtRest, folder: string): void => {
  const missing = engine.status().find(({ collection }) => collection === null);
  if (missing)
    throw new Error(
      `${folder} was made by another release, without ${missing.name} v${missing.version}: make it again.`,
    );
};

/** Who is forgotten while it is served is forgotten here, too. Returns how to stop looking. */
const forgetToo = (
  views: ViewsAtRest,
  folder: string,
  made: ReplayRecord,
  sources: ReplaySources & Pick<Runtime, 'log'>,
): (() => Promise<void>) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let record = made;
  const look = async (): Promise<void> => {
    if (!(await isForgottenAfter(sources.store, record.logHead))) return;
    views.hide();
    record = await fillReplay(folder, record, sources, { signal, onProgress: () => undefined });
    await views.show();
  };
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await pause(LOOK_FOR_FORGOTTEN_MILLISECONDS, signal);
      await look().catch((error: unknown) => {
        if (!signal.aborted)
          sources.log.warn({ err: error }, 'forgettings could not be looked for, trying again');
      });
    }
  };
  const watching = watch();
  return async () => {
    stopping.abort();
    await watching;
  };
};
