import { setTimeout as pause } from 'node:timers/promises';
import { openShop, type Shop } from './all-in-one.ts';
import type { ImportStore } from './command-service/cli.ts';
import type { ProjectionDesk } from './projection-service/cli.ts';
import { createProjectionService, type ProjectionService } from './projection-service/main.ts';
import type { Route } from './shared-kernel/http/route.ts';
import { openEngines, openHouse, type EngineFiles } from './shared-kernel/main.ts';
import { loadConfig, type Config } from './shared-kernel/runtime/config.ts';
import { loadKeys, type ShopKeys } from './shared-kernel/runtime/keys.ts';
import { createLogger, silentLogger } from './shared-kernel/runtime/logging.ts';

// What the command line does itself when no shop runs: it opens the engines, works and closes them.

const inMemory: EngineFiles = { events: null, read: null, state: null };
const zeros = Buffer.alloc(32);
const noKeys: ShopKeys = { applicationKey: zeros, tokenKey: zeros, backofficeApiKey: '', isApiKeyNew: false };

/** Every route of every service, from a shop that exists for a moment and keeps nothing. */
export const allRoutes = async (): Promise<readonly Route[]> => {
  const engines = await openEngines(inMemory);
  const shop = await openShop({ config: loadConfig(), keys: noKeys, engines, log: silentLogger() });
  await shop.stop();
  return shop.routes;
};

const withShop = async <Answer>(config: Config, work: (shop: Shop) => Promise<Answer>): Promise<Answer> => {
  const log = createLogger('warn', 'tillroll');
  const keys = loadKeys(config);
  const shop = await openShop({ config, keys, engines: await openEngines(config.engines), log });
  try {
    return await work(shop);
  } finally {
    await shop.stop();
  }
};

/** Imports a store file into the engines of the configuration. */
export const importStoreFile: ImportStore = (config, text) =>
  withShop(config, async ({ house, command }) => {
    await house.follower.waitFor(await house.store.head(), 60_000);
    const configuredCurrency = config.store.storeCurrencyCode ?? null;
    return (await command.management.importStore(text, { configuredCurrency })).counts;
  });

const withProjections = async <Answer>(
  config: Config,
  work: (projections: ProjectionService) => Promise<Answer>,
): Promise<Answer> => {
  const { applicationKey } = loadKeys(config);
  const engines = await openEngines(config.engines);
  const house = await openHouse({ engines, applicationKey, log: createLogger('warn', 'tillroll') });
  const settings = house.reference.settings.current;
  const projections = await createProjectionService({ house, settings });
  await house.feed.start();
  try {
    return await work(projections);
  } finally {
    await projections.stop();
    await house.close();
  }
};

const leaseMilliseconds = 15_000;

/** The lease of a process that was killed runs out first. */
const isFollowed = async ({ engine }: ProjectionService): Promise<void> => {
  const givesUpAt = performance.now() + leaseMilliseconds;
  while (!engine.status().some(({ isFollowing }) => isFollowing) && performance.now() < givesUpAt)
    await pause(20);
};

/** The projections of the engines of the configuration. */
export const projectionDesk: ProjectionDesk = {
  list: (config) => withProjections(config, ({ engine }) => Promise.resolve(engine.status())),
  rebuild: (config, name, onProgress) =>
    withProjections(config, async (projections) => {
      const names = projections.engine.status().map((one) => one.name);
      if (!names.includes(name))
        throw new Error(`There is no projection ${name}; there are ${names.join(', ')}.`);
      await isFollowed(projections);
      await projections.engine.rebuild([name], onProgress);
    }),
};
