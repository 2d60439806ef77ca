import type { Express } from 'express';
import type { Logger } from 'pino';
import { createCommandService, type CommandService } from './command-service/main.ts';
import { createOpenInstances } from './command-service/engine/open-instances.ts';
import { createIdempotency } from './command-service/engine/idempotency.ts';
import { createProjectionService, type ProjectionService } from './projection-service/main.ts';
import { createJobRunner, type Job, type JobRunner } from './shared-kernel/engine/job-runner.ts';
import { createIdentity, type BackofficeCaller } from './shared-kernel/http/identity.ts';
import { createApp, type AppOptions } from './shared-kernel/http/mount.ts';
import type { Route } from './shared-kernel/http/route.ts';
import { testingRoutes, type Follower } from './shared-kernel/http/testing.routes.ts';
import { createTokens } from './shared-kernel/http/tokens.ts';
import { openHouse, type Engines, type House } from './shared-kernel/main.ts';
import type { StoreSettings } from './shared-kernel/values/store-settings.ts';

export interface ShopOptions {
  readonly engines: Engines;
  readonly log: Logger;
  readonly applicationKey: Buffer;
  readonly tokenKey: Buffer;
  readonly backofficeApiKey: string;
  readonly testingSecret: string | null;
  readonly keyedHash: (kind: string, value: string) => string;
  readonly paymentProviders: readonly string[];
  /** What configuration says, over what the log says. */
  readonly configured: Partial<StoreSettings>;
  readonly http: AppOptions['settings'];
  readonly findUser: (house: House) => (id: string) => Promise<BackofficeCaller | null>;
  readonly moreRoutes?: (house: House) => readonly Route[];
  readonly observe?: AppOptions['observe'];
}

/** All services in one process. */
export interface Shop {
  readonly house: House;
  readonly command: CommandService;
  readonly projection: ProjectionService;
  readonly jobs: JobRunner;
  readonly routes: readonly Route[];
  readonly app: Express;
  /** In order: what is in flight, projections, the feed, the engines. */
  stop(): Promise<void>;
}

const followersOf = (house: House, command: CommandService, projection: ProjectionService): Follower[] => [
  { name: 'reference state', passed: (position, timeoutMs) => house.follower.waitFor(position, timeoutMs) },
  ...projection.engine.status().map(({ name }) => ({
    name: `projection ${name}`,
    passed: async (position: number, timeoutMs: number) =>
      (await projection.engine.waitFor(name, position, timeoutMs)).isReached,
  })),
  { name: 'processes', passed: (_, timeoutMs) => command.processes.idle(timeoutMs) },
];

/** Puts the whole shop together on one set of engines. */
export const openShop = async (options: ShopOptions): Promise<Shop> => {
  const { engines, log, applicationKey } = options;
  const openInstances = createOpenInstances();
  const house = await openHouse({ engines, applicationKey, log, parts: [openInstances] });
  const settings = (): StoreSettings => ({ ...house.reference.settings.current(), ...options.configured });
  const { keyedHash, paymentProviders } = options;
  const command = await createCommandService({ house, openInstances, settings, keyedHash, paymentProviders });
  const projection = await createProjectionService({ house, settings });
  await house.feed.start();
  const jobs = createJobRunner({ jobs: [] as Job[], leases: house.leases, clock: house.clock, log });
  const testing =
    options.testingSecret === null
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
  const routes = [...command.routes, ...projection.routes, ...testing, ...(options.moreRoutes?.(house) ?? [])];
  const identity = createIdentity({
    backofficeApiKey: options.backofficeApiKey,
    tokens: createTokens(options.tokenKey, Date.now),
    testingSecret: options.testingSecret,
    findUser: options.findUser(house),
  });
  const { stateStore, instanceId, store, clock } = house;
  const idempotency = await createIdempotency({ stateStore, instanceId, isOnlyWriter: store.isOnlyWriter, log });
  const app = createApp({
    routes,
    settings: options.http,
    identity,
    idempotency,
    clock,
    log,
    ...(options.observe ? { observe: options.observe } : {}),
  });
  command.processes.start();
  return {
    house,
    command,
    projection,
    jobs,
    routes,
    app,
    stop: async () => {
      await jobs.stop();
      await command.stop();
      await projection.stop();
      await house.close();
    },
  };
};
