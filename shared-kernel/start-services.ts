import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { BackOff } from '#runtime/back-off.ts';
import { isSecret } from '#http/identity.ts';
import { listen } from '#http/server.ts';
import { createCrossOrigin } from '#http/cross-origin.ts';
import { startingApp } from '#http/starting.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { keepCompiled } from '#runtime/compile-cache.ts';
import { paymentWarning } from '#runtime/config-payments.ts';
import type { Config } from '#runtime/config.ts';
import { usesServers } from '#runtime/config-engines.ts';
import { apiKeyFile, loadKeys, type ShopKeys } from '#runtime/keys.ts';
import { createLogger } from '#runtime/logging.ts';
import { closeDataFolder } from '#runtime/private-files.ts';
import { createShutdown, stopOnSignals, type Shutdown } from '#runtime/shutdown.ts';
import { openEngines, type Engines } from './open-engines.ts';
import type { OpenServices } from './open-services.ts';

export interface StartOptions {
  readonly config: Config;
  /** Who says that it is open: "The shop". */
  readonly name: string;
  /** Puts the services together. The engines are closed when that fails. */
  readonly open: (options: {
    readonly config: Config;
    readonly keys: ShopKeys;
    readonly engines: Engines;
    readonly log: Logger;
  }) => Promise<OpenServices>;
  readonly print: (line: string) => void;
}

interface Waiting {
  readonly config: Config;
  readonly shutdown: Shutdown;
  /** Told why, each time. */
  readonly onAway: (reason: string) => void;
}

/** Servers start in any order: one that is away is waited for. What is in this process is there, or broken. */
const untilThere = async <Done>(
  work: () => Promise<Done>,
  { config, shutdown, onAway }: Waiting,
): Promise<Done> => {
  const isWaitedFor = usesServers(config.engines);
  const backOff = new BackOff();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isWaitedFor || !(error instanceof EngineUnavailable) || shutdown.isUnderWay) throw error;
      onAway(error.message);
    }
    await backOff.wait(shutdown.signal);
  }
};

/** Opens the doors: what has been opened is added to `shutdown` as it is. */
const openDoors = async (options: StartOptions, log: Logger, shutdown: Shutdown): Promise<void> => {
  const { config, name, open, print } = options;
  const openFolder = closeDataFolder(config.dataDir);
  if (openFolder !== null) log.warn(openFolder);
  const keys = loadKeys(config);
  let reason = 'opening the engines';
  let answer: RequestListener = startingApp({
    reason: () => reason,
    isApiKey: isSecret(keys.backofficeApiKey),
    crossOrigin: createCrossOrigin(config.storefront.allowedOrigins, config.publicBaseUrl),
  });
  // First the port, so that callers are told why the shop does not serve yet.
  const server = await listen((request, response) => answer(request, response), config.port);
  let services: OpenServices | null = null;
  shutdown.add('shop', async () => {
    await server.stop();
    await services?.stop();
  });
  const onAway = (message: string): void => {
    reason = `an engine is away: ${message}`;
    log.warn({ reason: message }, 'an engine is away, trying again');
  };
  const waiting: Waiting = { config, shutdown, onAway };
  services = await untilThere(
    async () => open({ config, keys, engines: await openEngines(config.engines, { log }), log }),
    waiting,
  );
  let isOpen = false;
  services.readiness.add({
    name: 'store',
    isOwn: true,
    check: () => (isOpen ? null : 'the store is being opened'),
  });
  services.readiness.add({
    name: 'process',
    isOwn: true,
    check: () => (shutdown.isUnderWay ? 'shutting down' : null),
  });
  answer = services.app;
  if (keys.isApiKeyNew) {
    print(`Backoffice API key (shown once, kept in ${apiKeyFile(config.dataDir)}): ${keys.backofficeApiKey}`);
  }
  const warning = paymentWarning(config.payments);
  if (warning !== null) print(warning);
  await untilThere(
    () =>
      services.prepare((done, total) => {
        if (done === total) print(`Imported the store: ${total} entries.`);
      }),
    waiting,
  );
  isOpen = true;
  const compiled = keepCompiled();
  if (compiled !== null) log.warn(compiled);
  print(`${name} is open: http://localhost:${server.port} (API: /reference, readiness: /health/ready)`);
};

/** Starts services in this process and stays up until it is told to stop. */
export const startServices = async (options: StartOptions): Promise<void> => {
  const log = createLogger(options.config.logLevel, 'tillroll');
  const shutdown = createShutdown({ log });
  stopOnSignals(shutdown);
  try {
    await openDoors(options, log, shutdown);
  } catch (error) {
    // Half a shop must not stay behind: it would hold the data folder without serving.
    await shutdown.run('the shop could not be opened');
    throw error;
  }
};
