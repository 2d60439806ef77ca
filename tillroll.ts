import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import type { Logger } from 'pino';
import { defined } from '#kernel/defined.ts';
import { addCommandServiceCommands } from './command-service/cli.ts';
import { addDispatcherServiceCommands } from './dispatcher-service/cli.ts';
import { addProjectionServiceCommands } from './projection-service/cli.ts';
import { addReplay } from './projection-service/cli/replay/replay-command.ts';
import type { CommandService } from './command-service/main.ts';
import type { EventFlow } from './shared-kernel/event-flow/event-flows.ts';
import type { Route } from './shared-kernel/http/route.ts';
import type { Engines } from './shared-kernel/open-engines.ts';
import type { OpenServices } from './shared-kernel/open-services.ts';
import { addConfigCommands, serviceArgument } from './shared-kernel/runtime/cli.ts';
import type { Config } from './shared-kernel/runtime/config.ts';
import type { ShopKeys } from './shared-kernel/runtime/keys.ts';
import type { PasswordCost } from './shared-kernel/runtime/passwords.ts';
import type { Service } from './shared-kernel/values/service.ts';

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
  /** See `ServiceOptions.passwordCost`. */
  readonly passwordCost?: PasswordCost;
}

/** All services in one process. */
export interface Shop extends OpenServices {
  readonly command: CommandService;
}

const plans = {
  command: async () => (await import('./command-service/main.ts')).commandPlan(),
  projection: async () => (await import('./projection-service/main.ts')).projectionPlan(),
  dispatcher: async ({ applicationKey }: ShopKeys) =>
    (await import('./dispatcher-service/main.ts')).dispatcherPlan(applicationKey),
};

/** Puts the whole shop together on one set of engines. */
export const openShop = async (options: ShopOptions): Promise<Shop> => {
  const [{ openServices }, ...all] = await Promise.all([
    import('./shared-kernel/open-services.ts'),
    plans.command(),
    plans.projection(),
    plans.dispatcher(options.keys),
  ]);
  const shop = await openServices({ ...options, plans: all, version });
  return { ...shop, command: shop.services[0] };
};

/** Puts one service together, on engines that it shares with the others. It describes the API of all of them. */
export const openService = async (service: Service, options: ShopOptions): Promise<OpenServices> => {
  const [{ openServices }, plan] = await Promise.all([
    import('./shared-kernel/open-services.ts'),
    plans[service](options.keys),
  ]);
  const describe = () => allRoutes({ ...options.config, testingSecret: null });
  return openServices({ ...options, plans: [plan], version, describe });
};

/** Starts the shop, or one service of it, and stays up until it is told to stop. Says where it is. */
const start = async (config: Config, service: Service | null): Promise<void> => {
  const { startServices } = await import('./shared-kernel/start-services.ts');
  await startServices({
    config,
    name: service ? `The ${service} service` : 'The shop',
    open: (options) => (service ? openService(service, options) : openShop(options)),
    print,
  });
};

/** Looks at a shop that exists for a moment and keeps nothing. */
const lookAtShop = async <Seen>(config: Config, look: (shop: Shop) => Seen): Promise<Seen> => {
  const [{ openEngines }, { memoryEngines }, { silentLogger }] = await Promise.all([
    import('./shared-kernel/open-engines.ts'),
    import('./shared-kernel/runtime/config-engines.ts'),
    import('./shared-kernel/runtime/logging.ts'),
  ]);
  const noKey = Buffer.alloc(32);
  const shop = await openShop({
    config,
    keys: {
      applicationKey: noKey,
      tokenKey: noKey,
      memberTokenKey: noKey,
      backofficeApiKey: '',
      isApiKeyNew: false,
    },
    engines: await openEngines(memoryEngines),
    log: silentLogger(),
  });
  await shop.stop();
  return look(shop);
};

/** Every route of every service. */
const allRoutes = (config: Config): Promise<readonly Route[]> => lookAtShop(config, ({ routes }) => routes);

/** What `tillroll events --about` and docs/events.md are printed from. */
export const loadEventFlows = async (config: Config): Promise<readonly EventFlow[]> => {
  const [command, projection, dispatcher, jobs] = await Promise.all([
    import('./command-service/event-registrations.ts').then((one) => one.eventRegistrations()),
    import('./projection-service/event-registrations.ts').then((one) => one.eventRegistrations()),
    import('./dispatcher-service/event-registrations.ts').then((one) => one.eventRegistrations()),
    lookAtShop(config, ({ services }) => services.flatMap((service) => service.jobs)),
  ]);
  const { readEventFlows } = await import('./shared-kernel/event-flow/read-event-flows.ts').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
      throw new Error('This reads the source with TypeScript, which is not installed. Run npm install.');
    },
  );
  return readEventFlows([command, projection, dispatcher], jobs);
};

interface RoutesOptions {
  readonly json?: boolean;
  readonly gateway?: boolean;
  readonly caddy?: boolean;
}

/** A gateway does not know the settings of its shop: what only tests ask for goes where it belongs, too. */
const withTestEndpoints = ({ protocol, ...config }: Config): Config => {
  const testEndpoints = { ...protocol.ucp.testEndpoints, enabled: true };
  return { ...config, protocol: { ...protocol, ucp: { ...protocol.ucp, testEndpoints } } };
};

const writeRoutes = async ({
  json = false,
  gateway = false,
  caddy = false,
}: RoutesOptions): Promise<void> => {
  const [{ printCaddyRoutes, printRoutes }, { loadConfig }] = await Promise.all([
    import('./shared-kernel/http/cli.ts'),
    import('./shared-kernel/runtime/config.ts'),
  ]);
  const config = loadConfig();
  const routes = await allRoutes(caddy ? withTestEndpoints(config) : config);
  process.stdout.write(caddy ? printCaddyRoutes(routes) : printRoutes(routes, { json, gateway }));
};

const loadSimulation = async () => {
  const [{ simulateShop }, { fillReadModels }, { dispatcherPlan }] = await Promise.all([
    import('./command-service/simulation/simulate-shop.ts'),
    import('./projection-service/fill-read-models.ts'),
    import('./dispatcher-service/main.ts'),
  ]);
  return simulateShop({ fillReadModels, dispatcherPlan });
};

const addErrors = (program: Command): void => {
  program
    .command('errors')
    .description('Print every code of a refusal, what it means and what to do: docs/errors.md')
    .action(async () => {
      const { printErrorsPage } = await import('./shared-kernel/http/refusals/print-errors-page.ts');
      process.stdout.write(printErrorsPage());
    });
};

const addTopics = (program: Command): void => {
  program
    .command('topics')
    .description('Print every webhook topic, when it goes out and what it says: docs/webhook-topics.md')
    .action(async () => {
      const { printTopicsPage } = await import('./shared-kernel/topics/print-topics-page.ts');
      process.stdout.write(printTopicsPage());
    });
};

const loadFurther = async () => (await import('./command-service/settings-as-it-was.ts')).settingsAsItWas;

/** Pages of docs/ that are printed from the source. */
const addPages = (program: Command): void => {
  addErrors(program);
  addTopics(program);
};

/** What `.config/tillroll.js` runs. */
export const runCommandLine = async (): Promise<void> => {
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
    .description('Start the shop: all services in one process, or one on its own')
    .addArgument(serviceArgument())
    .option('--port <port>', 'where to listen; over PORT')
    .option('--data <folder>', 'where the data is kept; over DATA_DIR')
    .action(async (service: Service | undefined, { port, data }: { port?: string; data?: string }) => {
      const { loadConfig } = await import('./shared-kernel/runtime/config.ts');
      const overrides = {
        ...defined({ PORT: port, DATA_DIR: data }),
      };
      await start(loadConfig({ overrides, ...(service && { service }) }), service ?? null);
    });

  program
    .command('routes')
    .description('Print every endpoint: method, path, service and file')
    .option('--json', 'one JSON document')
    .option('--gateway', 'as a gateway needs them: method, pattern and service')
    .option('--caddy', 'the same as a part of a Caddyfile')
    .action(writeRoutes);
  addPages(program);

  addCommandServiceCommands(
    program,
    async () => loadEventFlows((await import('./shared-kernel/runtime/config.ts')).loadConfig()),
    async () => (await import('./command-service/cli/import-store.ts')).importStoreFile,
    loadSimulation,
    async () => (await import('./command-service/cli/what-if/offline-what-if.ts')).askOffline,
  );
  addProjectionServiceCommands(
    program,
    async () => (await import('./projection-service/cli/offline-projections.ts')).offlineProjections,
    async () => (await import('./projection-service/cli/report/offline-reports.ts')).openReports,
    async () => (await import('./projection-service/cli/why/offline-why.ts')).openWhy,
    async () => (await import('./projection-service/cli/audit/offline-audit.ts')).offlineAudit,
  );
  addReplay(program, { version, allRoutes, loadFurther });
  addDispatcherServiceCommands(
    program,
    async () => (await import('./dispatcher-service/cli/resume-offline.ts')).resumeOffline,
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
    // A start that failed half way must not keep the process, and with it the data folder.
    process.exit(1);
  }
};
