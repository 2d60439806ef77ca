import { readFileSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import type { Logger } from 'pino';
import { addCommandServiceCommands } from './command-service/cli.ts';
import { addProjectionServiceCommands } from './projection-service/cli.ts';
import type { CommandService } from './command-service/main.ts';
import type { Front } from './shared-kernel/http/front.ts';
import type { House } from './shared-kernel/main.ts';
import type { Engines } from './shared-kernel/open-engines.ts';
import { addConfigCommands } from './shared-kernel/runtime/cli.ts';
import type { Config } from './shared-kernel/runtime/config.ts';
import type { ShopKeys } from './shared-kernel/runtime/keys.ts';
import type { Shutdown } from './shared-kernel/runtime/shutdown.ts';
import type { StoreSettings } from './shared-kernel/values/store-settings.ts';

// The one file that sees all services: joins them in one process, and their commands in one command line. What is heavy
// is imported when it is needed, so that --help answers at once.

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

export interface ShopOptions {
  readonly config: Config;
  readonly keys: ShopKeys;
  readonly engines: Engines;
  readonly log: Logger;
}

/** All services in one process. */
export interface Shop extends Front {
  readonly house: House;
  readonly command: CommandService;
  /** See `CommandService.openStore`. */
  openStore(onProgress?: (done: number, total: number) => void): Promise<void>;
  /** In order: what is in flight, read models, the feed, the engines. */
  stop(): Promise<void>;
}

/** Puts the whole shop together on one set of engines. */
export const openShop = async ({ config, keys, engines, log }: ShopOptions): Promise<Shop> => {
  const [
    kernel,
    { createFront },
    { createJobRunner },
    commands,
    { createOpenInstances },
    projections,
    dispatchers,
  ] = await Promise.all([
    import('./shared-kernel/main.ts'),
    import('./shared-kernel/http/front.ts'),
    import('./shared-kernel/engine/job-runner.ts'),
    import('./command-service/main.ts'),
    import('./command-service/engine/open-instances.ts'),
    import('./projection-service/main.ts'),
    import('./dispatcher-service/main.ts'),
  ]);
  const openInstances = createOpenInstances();
  const { applicationKey } = keys;
  const webhooks = dispatchers.createWebhooks(applicationKey);
  const parts = [openInstances, webhooks];
  const house = await kernel.openHouse({ engines, applicationKey, log, parts });
  const settings = (): StoreSettings => ({ ...house.reference.settings.current(), ...config.store });
  const command = await commands.createCommandService({ house, openInstances, settings, config, keys });
  const projection = await projections.createProjectionService({ house, settings });
  const dispatcher = await dispatchers.createDispatcherService({ house, webhooks, settings, config });
  await house.feed.start();
  const { stateStore, clock, leases, store } = house;
  const jobs = createJobRunner({ jobs: [...command.jobs, ...dispatcher.jobs], leases, clock, log });
  const front = createFront({
    service: 'command',
    parts: [command, projection, dispatcher, kernel.houseParts(house)],
    config,
    keys,
    stateStore,
    idempotency: command.idempotency,
    clock,
    head: () => store.head(),
    jobs,
    version,
    log,
  });
  command.startProcesses();
  jobs.start();
  return {
    ...front,
    house,
    command,
    openStore: (onProgress) => command.openStore(onProgress),
    stop: async () => {
      await jobs.stop();
      await command.stop();
      await dispatcher.stop();
      await projection.stop();
      await house.close();
    },
  };
};

/** Opens the shop's doors: what has been opened is added to `shutdown` as it is. */
const openDoors = async (config: Config, log: Logger, shutdown: Shutdown): Promise<void> => {
  const [{ listen }, { openEngines }, { apiKeyFile, loadKeys }] = await Promise.all([
    import('./shared-kernel/http/server.ts'),
    import('./shared-kernel/open-engines.ts'),
    import('./shared-kernel/runtime/keys.ts'),
  ]);
  const keys = loadKeys(config);
  const shop = await openShop({ config, keys, engines: await openEngines(config.engines), log });
  shutdown.add('shop', () => shop.stop());
  let isOpen = false;
  shop.readiness.add({ name: 'store', check: () => (isOpen ? null : 'the store file is being imported') });
  shop.readiness.add({ name: 'process', check: () => (shutdown.isUnderWay ? 'shutting down' : null) });
  const server = await listen(shop.app, config.port);
  shutdown.add('http', () => server.stop());
  if (keys.isApiKeyNew) {
    print(`Backoffice API key (shown once, kept in ${apiKeyFile(config.dataDir)}): ${keys.backofficeApiKey}`);
  }
  if (config.payments.providers.length === 0) {
    print('No payment provider is configured: set Payments.Providers before anybody can pay.');
  }
  await shop.openStore((done, total) => {
    if (done === total) print(`Imported the store: ${total} entries.`);
  });
  isOpen = true;
  // A kill never writes it, and the next start after a kill is the one that should be quick.
  flushCompileCache();
  print(`The shop is open: http://localhost:${server.port} (API: /reference, readiness: /health/ready)`);
};

/** Starts all services in this process and stays up until it is told to stop. Says where the shop is. */
const startShop = async (config: Config): Promise<void> => {
  // A heap that grows by a half at a time: a little more collecting for much less memory.
  setFlagsFromString('--heap-growing-percent=50');
  const [{ createLogger }, { createShutdown, stopOnSignals }] = await Promise.all([
    import('./shared-kernel/runtime/logging.ts'),
    import('./shared-kernel/runtime/shutdown.ts'),
  ]);
  const log = createLogger(config.logLevel, 'tillroll');
  const shutdown = createShutdown({ log });
  stopOnSignals(shutdown);
  try {
    await openDoors(config, log, shutdown);
  } catch (error) {
    // Half a shop must not stay behind: it would hold the data folder and serve nobody.
    await shutdown.run('the shop could not be opened');
    throw error;
  }
};

/** Every route of every service, from a shop that exists for a moment and keeps nothing. */
const allRoutes = async () => {
  const [{ openEngines }, { loadConfig }, { memoryEngines }, { silentLogger }] = await Promise.all([
    import('./shared-kernel/open-engines.ts'),
    import('./shared-kernel/runtime/config.ts'),
    import('./shared-kernel/runtime/config-engines.ts'),
    import('./shared-kernel/runtime/logging.ts'),
  ]);
  const noKey = Buffer.alloc(32);
  const shop = await openShop({
    config: loadConfig(),
    keys: { applicationKey: noKey, tokenKey: noKey, backofficeApiKey: '', isApiKeyNew: false },
    engines: await openEngines(memoryEngines),
    log: silentLogger(),
  });
  await shop.stop();
  return shop.routes;
};

const runCommandLine = async (): Promise<void> => {
  enableCompileCache();
  // A pipe that is closed at the other end is a reader who has seen enough, not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  const program = new Command('tillroll')
    .description('An event-sourced online-shop back end.')
    .version(version);

  program
    .command('start')
    .description('Start the shop: all services in one process')
    .option('--port <port>', 'where to listen; over PORT')
    .option('--data <folder>', 'where the data is kept; over DATA_DIR')
    .action(async ({ port, data }: { port?: string; data?: string }) => {
      const { loadConfig } = await import('./shared-kernel/runtime/config.ts');
      const overrides = {
        ...(port === undefined ? {} : { PORT: port }),
        ...(data === undefined ? {} : { DATA_DIR: data }),
      };
      const config = loadConfig({ overrides });
      await startShop(config);
    });

  program
    .command('routes')
    .description('Print every endpoint: method, path, service and file')
    .option('--json', 'one JSON document')
    .option('--gateway', 'as a gateway needs them: method, pattern and service')
    .action(async ({ json, gateway }: { json?: boolean; gateway?: boolean }) => {
      const { printRoutes } = await import('./shared-kernel/http/cli.ts');
      process.stdout.write(
        printRoutes(await allRoutes(), { json: json ?? false, gateway: gateway ?? false }),
      );
    });

  addCommandServiceCommands(
    program,
    async () => (await import('./command-service/main.ts')).importStoreFile,
    async () => {
      const [{ simulateShop }, { fillReadModels }] = await Promise.all([
        import('./command-service/simulation/simulate-shop.ts'),
        import('./projection-service/main.ts'),
      ]);
      return simulateShop(fillReadModels);
    },
  );
  addProjectionServiceCommands(
    program,
    async () => (await import('./projection-service/main.ts')).projectionDesk,
  );
  addConfigCommands(program);

  try {
    await program.parseAsync();
  } catch (error) {
    // What people can mend is a sentence; a defect keeps its stack.
    const isExpected = error instanceof Error && !(error instanceof TypeError);
    process.stderr.write(
      `tillroll: ${isExpected ? error.message : String((error as Error).stack ?? error)}\n`,
    );
    // Whatever a start that failed half way has left open must not keep the process, and with it the data folder.
    process.exit(1);
  }
};

if (import.meta.main) await runCommandLine();
