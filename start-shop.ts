import { openShop } from './all-in-one.ts';
import { InvalidStoreFile } from './command-service/contexts/store/read-store-file.ts';
import { listen } from './shared-kernel/http/server.ts';
import { openEngines } from './shared-kernel/main.ts';
import type { Config } from './shared-kernel/runtime/config.ts';
import { apiKeyFile, loadKeys } from './shared-kernel/runtime/keys.ts';
import { createLogger } from './shared-kernel/runtime/logging.ts';
import { createShutdown, stopOnSignals } from './shared-kernel/runtime/shutdown.ts';

/** Starts all services in this process and stays up until it is told to stop. Prints where the shop is. */
export const startShop = async (config: Config, print: (line: string) => void): Promise<void> => {
  const log = createLogger(config.logLevel, 'tillroll');
  const shutdown = createShutdown({ log });
  stopOnSignals(shutdown);
  const keys = loadKeys(config);
  const engines = await openEngines(config.engines);
  const shop = await openShop({ config, keys, engines, log });
  shutdown.add('shop', () => shop.stop());
  let isStoreOpen = false;
  shop.readiness.add({
    name: 'store',
    check: () => (isStoreOpen ? null : 'the store file is being imported'),
  });
  shop.readiness.add({ name: 'process', check: () => (shutdown.isUnderWay ? 'shutting down' : null) });
  const server = await listen(shop.app, config.port);
  shutdown.add('http', () => server.stop());
  if (keys.isApiKeyNew) {
    print(`Backoffice API key (shown once, kept in ${apiKeyFile(config.dataDir)}): ${keys.backofficeApiKey}`);
  }
  if (config.isProduction && config.payments.providers.length === 0) {
    print('No payment provider is configured: set Payments.Providers before anybody can pay.');
  }
  try {
    await shop.openStore((done, total) => {
      if (done === total) print(`Imported the store: ${total} entries.`);
    });
  } catch (error) {
    print(error instanceof Error ? error.message : String(error));
    if (!(error instanceof InvalidStoreFile)) log.error({ err: error }, 'the store could not be opened');
    await shutdown.run('the store could not be opened');
    process.exitCode = 1;
    return;
  }
  isStoreOpen = true;
  print(
    `The shop is open: http://localhost:${server.port}  (API reference: /reference, readiness: /health/ready)`,
  );
};
