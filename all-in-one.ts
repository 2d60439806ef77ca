import { readFile } from 'node:fs/promises';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { createUsers } from './command-service/contexts/identity/users.ts';
import { usersRoutes } from './command-service/contexts/identity/users.routes.ts';
import { createIdempotency } from './command-service/engine/idempotency.ts';
import { createOpenInstances } from './command-service/engine/open-instances.ts';
import { createCommandService, type CommandService } from './command-service/main.ts';
import { createProjectionService, type ProjectionService } from './projection-service/main.ts';
import { createJobRunner, type JobRunner } from './shared-kernel/engine/job-runner.ts';
import { createUserFinder } from './shared-kernel/http/backoffice-users.ts';
import { healthRoutes } from './shared-kernel/http/health.routes.ts';
import { createIdentity } from './shared-kernel/http/identity.ts';
import { createApp } from './shared-kernel/http/mount.ts';
import { createRateLimit } from './shared-kernel/http/rate-limit.ts';
import { referenceRoutes } from './shared-kernel/http/reference.routes.ts';
import type { Route } from './shared-kernel/http/route.ts';
import { testingRoutes, type Follower } from './shared-kernel/http/testing.routes.ts';
import { createTokens } from './shared-kernel/http/tokens.ts';
import { newId } from './shared-kernel/kernel/ids.ts';
import { openHouse, type Engines, type House } from './shared-kernel/main.ts';
import type { Config } from './shared-kernel/runtime/config.ts';
import { createReadiness, type Readiness } from './shared-kernel/runtime/health.ts';
import { createKeyedHash, keyFor, type ShopKeys } from './shared-kernel/runtime/keys.ts';
import { createMetrics, type Metrics } from './shared-kernel/runtime/metrics.ts';
import type { StoreSettings } from './shared-kernel/values/store-settings.ts';

const VERSION = '0.1.0';

export interface ShopOptions {
  readonly config: Config;
  readonly keys: ShopKeys;
  readonly engines: Engines;
  readonly log: Logger;
}

/** All services in one process. */
export interface Shop {
  readonly house: House;
  readonly command: CommandService;
  readonly projection: ProjectionService;
  readonly jobs: JobRunner;
  readonly readiness: Readiness;
  readonly routes: readonly Route[];
  readonly app: Express;
  /**
   * Fixes the store's currency and, on a first start, imports the store file. Errors: `InvalidStoreFile`, Rejection
   * `store-currency-fixed`.
   */
  openStore(onProgress?: (done: number, total: number) => void): Promise<void>;
  /** In order: what is in flight, projections, the feed, the engines. */
  stop(): Promise<void>;
}

const followersOf = (house: House, command: CommandService, projection: ProjectionService): Follower[] => [
  {
    name: 'reference state',
    passed: (position, timeoutMs) => house.follower.waitFor(position, timeoutMs),
  },
  ...projection.engine.status().map(({ name }) => ({
    name: `projection ${name}`,
    passed: async (position: number, timeoutMs: number) =>
      (await projection.engine.waitFor(name, position, timeoutMs)).isReached,
  })),
  { name: 'processes', passed: (_, timeoutMs) => command.processes.idle(timeoutMs) },
];

const demoStore = new URL('./command-service/contexts/store/demo-store.json', import.meta.url);

const readStoreFile = ({ storeFile }: Config): Promise<string> | null => {
  if (storeFile.kind === 'none') return null;
  return readFile(storeFile.kind === 'file' ? storeFile.path : demoStore, 'utf8');
};

const openStore = async (
  { config }: ShopOptions,
  house: House,
  { management }: CommandService,
  onProgress: (done: number, total: number) => void,
): Promise<void> => {
  await house.follower.waitFor(await house.store.head(), 60_000);
  const configuredCurrency = config.store.storeCurrencyCode ?? null;
  const correlationId = newId();
  const meta = { correlationId, causationId: correlationId, actor: { kind: 'system', id: null } } as const;
  const text = house.reference.settings.isStoreImported() ? null : await readStoreFile(config);
  if (text !== null) {
    await management.importStore(text, {
      configuredCurrency,
      onProgress: ({ done, total }) => onProgress(done, total),
    });
  }
  const known = await management.settings.currency();
  const currency = configuredCurrency ?? known ?? house.reference.settings.current().storeCurrencyCode;
  await management.settings.open(currency, meta);
};

const watch = (readiness: Readiness, house: House, projection: ProjectionService): void => {
  const answers = (ping: () => Promise<void>) => async (): Promise<null> => {
    await ping();
    return null;
  };
  readiness.add({ name: 'event log', check: answers(() => house.store.ping()) });
  readiness.add({ name: 'read store', check: answers(() => house.readStore.ping()) });
  readiness.add({ name: 'state store', check: answers(() => house.stateStore.ping()) });
  readiness.add({
    name: 'reference state',
    check: () => {
      const stopped = house.follower.stopped();
      if (stopped) return `stopped at position ${stopped.position}: ${stopped.message}`;
      return house.follower.isReady() ? null : 'catching up with the log';
    },
  });
  readiness.add({
    name: 'projections',
    check: () => {
      const problems = projection.engine.status().flatMap(({ name, stopped, collection }) => {
        if (stopped) return [`${name} stopped at position ${stopped.position}: ${stopped.message}`];
        return collection === null ? [`${name} is being filled for the first time`] : [];
      });
      return problems.length === 0 ? null : problems.join('; ');
    },
  });
};

const measure = (
  metrics: Metrics,
  house: House,
  command: CommandService,
  projection: ProjectionService,
): void => {
  metrics.gaugeBy('tillroll_projection_lag_positions', 'Events a projection is behind', 'projection', () =>
    projection.engine.status().map(({ name, lagPositions }) => [name, lagPositions] as const),
  );
  metrics.gaugeBy(
    'tillroll_projection_stopped',
    '1 when a projection stands still at an event',
    'projection',
    () => projection.engine.status().map(({ name, stopped }) => [name, stopped ? 1 : 0] as const),
  );
  metrics.gauge('tillroll_reference_position', 'Position that reference state reflects', () =>
    house.follower.position(),
  );
  metrics.gauge(
    'tillroll_commands_total',
    'Commands carried out since the start',
    () => command.engine.counters().commands,
  );
  metrics.gauge('tillroll_appends_total', 'Appends since the start', () => command.engine.counters().appends);
  metrics.gauge('tillroll_mailbox_depth', 'Commands that wait', () => command.engine.counters().mailboxDepth);
  metrics.gaugeBy('tillroll_conflicts_total', 'Appends that met a conflict', 'category', () =>
    Object.entries(command.engine.counters().conflicts),
  );
  metrics.gauge('tillroll_open_processes', 'Processes under way', () => command.processes.openCount());
};

interface Running {
  readonly house: House;
  readonly command: CommandService;
  readonly projection: ProjectionService;
  readonly jobs: JobRunner;
}

const testRoutes = (
  { config }: ShopOptions,
  { house, command, projection, jobs }: Running,
): readonly Route[] =>
  config.testingSecret === null
    ? []
    : [
        ...testingRoutes({
          clock: house.clock,
          head: () => house.store.head(),
          followers: followersOf(house, command, projection),
          runJob: (name) => jobs.runNow(name),
          jobNames: jobs.names,
        }),
        ...command.testingRoutes,
      ];

/** Routes that belong to no context: users, health, the description of the API, and those for tests. */
const commonRoutes = async (
  options: ShopOptions,
  running: Running,
  readiness: Readiness,
  metrics: Metrics,
  tokens: ReturnType<typeof createTokens>,
): Promise<readonly Route[]> => {
  const { backoffice } = options.config;
  const { stateStore, clock } = running.house;
  const users = await createUsers({ stateStore, clock, tokens, tokenHours: backoffice.tokenHours });
  const own: Route[] = [
    ...running.command.routes,
    ...running.projection.routes,
    ...usersRoutes({
      users,
      signInAttempts: createRateLimit(60),
      signInAttemptsPerMinute: backoffice.signInAttemptsPerMinute,
    }),
    ...healthRoutes({
      service: 'command',
      problems: () => readiness.problems(),
      metrics: () => metrics.text(),
    }),
  ];
  return [
    ...own,
    ...referenceRoutes({ service: 'command', routes: () => own, version: VERSION }),
    ...testRoutes(options, running),
  ];
};

const startServices = async (options: ShopOptions): Promise<Running> => {
  const { config, keys, engines, log } = options;
  const openInstances = createOpenInstances();
  const { applicationKey } = keys;
  const house = await openHouse({ engines, applicationKey, log, parts: [openInstances] });
  const settings = (): StoreSettings => ({ ...house.reference.settings.current(), ...config.store });
  const command = await createCommandService({
    house,
    openInstances,
    settings,
    keyedHash: createKeyedHash(applicationKey),
    paymentProviders: config.payments.providers,
  });
  const projection = await createProjectionService({ house, settings });
  await house.feed.start();
  const jobs = createJobRunner({ jobs: [], leases: house.leases, clock: house.clock, log });
  return { house, command, projection, jobs };
};

/** Puts the whole shop together on one set of engines. */
export const openShop = async (options: ShopOptions): Promise<Shop> => {
  const { config, keys, log } = options;
  const running = await startServices(options);
  const { house, command, projection, jobs } = running;
  const { stateStore, instanceId, store, clock } = house;
  const readiness = createReadiness();
  const metrics = createMetrics();
  watch(readiness, house, projection);
  measure(metrics, house, command, projection);
  const tokens = createTokens(keyFor(keys.applicationKey, 'tokens'), Date.now);
  const routes = await commonRoutes(options, running, readiness, metrics, tokens);
  const identity = createIdentity({
    backofficeApiKey: keys.backofficeApiKey,
    tokens,
    testingSecret: config.testingSecret,
    findUser: createUserFinder(stateStore),
  });
  const app = createApp({
    routes,
    settings: {
      publicBaseUrl: config.publicBaseUrl,
      trustedProxies: config.storefront.trustedProxies,
      secureCookies: config.storefront.cookies.secure,
    },
    identity,
    idempotency: await createIdempotency({ stateStore, instanceId, isOnlyWriter: store.isOnlyWriter, log }),
    clock,
    log,
    observe: (route, status, seconds) =>
      metrics.observeRequest(route?.method ?? '', route?.path ?? 'unknown', status, seconds),
  });
  command.processes.start();
  jobs.start();
  return {
    ...running,
    readiness,
    routes,
    app,
    openStore: (onProgress = () => undefined) => openStore(options, house, command, onProgress),
    stop: async () => {
      await jobs.stop();
      await command.stop();
      await projection.stop();
      await house.close();
    },
  };
};
