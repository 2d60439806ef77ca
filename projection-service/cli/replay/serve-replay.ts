import type { ReplayRecord } from '#contracts/replay.contract.ts';
import { createHttpApplication, type HttpApplication } from '#http/http-application.ts';
import type { Caller } from '#http/callers/caller.ts';
import { agent, browsingAgent, reader, type Route } from '#http/route.ts';
import { listen } from '#http/server.ts';
import { shownAsItWas } from '#http/shown-as-it-was.ts';
import type { Reference } from '#reference/reference.ts';
import type { Config } from '#runtime/config.ts';
import { readKeys, type ShopKeys } from '#runtime/keys.ts';
import { createShopClock } from '#runtime/shop-clock.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { runtimeParts } from '../../../shared-kernel/open-runtime.ts';
import { referenceState } from '../../engine/service-deps.ts';
import type { Watched } from './make-replay.ts';
import { openMoment, type OpenMoment } from './open-moment.ts';

export interface ServeOptions {
  readonly config: Config;
  readonly folder: string;
  readonly port: number;
  readonly version: string;
  /** Every route of a running shop. */
  readonly allRoutes: readonly Route[];
  /** What other services answer of that moment. */
  readonly further: (deps: FurtherDeps) => readonly Route[];
}

export interface FurtherDeps {
  readonly reference: Reference;
  readonly settings: () => StoreSettings;
  readonly config: Config;
}

export interface ServedReplay {
  readonly port: number;
  readonly record: ReplayRecord;
  /** The backoffice key that opens it; null where that is the shop's own. */
  readonly ownKey: string | null;
  close(): Promise<void>;
}

/**
 * Serves a replay on a port of its own: every query is answered as it would have been then, every change refused.
 * Errors: as `openMoment`.
 */
export const serveReplay = async (options: ServeOptions, watched: Watched): Promise<ServedReplay> => {
  const { config, folder, port, allRoutes } = options;
  const keys = readKeys(config);
  const moment = await openMoment(config, folder, keys.applicationKey, watched);
  const { until: instant, position } = moment.record;
  try {
    const { app, routes: served } = await applicationOf(moment, keys, options);
    const views = new Set([...moment.record.views, referenceState.name]);
    const lacks = (view: string): boolean => !views.has(view);
    const listener = shownAsItWas({ app, served, routes: allRoutes, lacks, instant, position });
    const server = await listen(listener, port);
    return {
      port: server.port,
      record: moment.record,
      ownKey: keys.isApiKeyNew ? keys.backofficeApiKey : null,
      close: async () => {
        await server.stop();
        await moment.close();
      },
    };
  } catch (error) {
    await moment.close();
    throw error;
  }
};

const applicationOf = async (
  { runtime, service, settings }: OpenMoment,
  keys: ShopKeys,
  { config, version, further }: ServeOptions,
): Promise<HttpApplication> => {
  const { store, stateStore, reference, follower, traffic, log } = runtime;
  const routes = [...service.routes.filter(isReading), ...further({ reference, settings, config })];
  return createHttpApplication({
    service: 'projection',
    parts: [{ ...service, routes }, runtimeParts(runtime)],
    config: { ...config, testingSecret: null },
    keys,
    settings: () => ({ referralDiscount: null, websiteUrl: settings().websiteUrl }),
    stateStore,
    idempotency: null,
    opensBasket: null,
    // Who may ask is a question of today.
    clock: await createShopClock(stateStore),
    head: () => store.head(),
    reference: {
      whenReached: () => Promise.resolve(),
      isWrittenElsewhere: false,
      took: () => follower.took(),
    },
    jobs: [],
    runJob: () => Promise.resolve(null),
    others: null,
    traffic,
    version,
    log,
  });
};

/** Callers who only read, also where they ask by POST: for exports, and what agents find in the catalogue. */
const readers: ReadonlySet<Caller> = new Set([reader, browsingAgent]);

/** Whose an order is, agents prove to the running shop. */
const isReading = ({ method, caller }: Route): boolean =>
  readers.has(caller) || (method === 'GET' && caller !== agent);
