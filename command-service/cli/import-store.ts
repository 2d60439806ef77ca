import { createLogger } from '#runtime/logging.ts';
import { memoryEngines } from '#runtime/config-engines.ts';
import { loadKeys } from '#runtime/keys.ts';
import { openRuntime } from '../../shared-kernel/open-runtime.ts';
import { openEngines } from '../../shared-kernel/open-engines.ts';
import type { ImportStore } from '../cli.ts';
import { createStoreImport } from '../contexts/store/import-store.ts';
import { whenReady } from '../engine/reach-position.ts';
import { commandPlan } from '../main.ts';

/** Imports a store file into the configured engines, for the command line where no shop runs. */
export const importStoreFile: ImportStore = async (config, text) => {
  const keys = loadKeys(config);
  // No others: they may be embedded, and belong to a service that runs.
  const { events, state } = config.engines;
  const { parts, create } = commandPlan();
  const runtime = await openRuntime({
    engines: await openEngines({ ...memoryEngines, events, state }),
    applicationKey: keys.applicationKey,
    log: createLogger('warn', 'tillroll'),
    parts,
  });
  const command = await create({ runtime, settings: runtime.reference.settings.current, config, keys });
  await runtime.feed.start();
  try {
    await whenReady(runtime);
    const configuredCurrency = config.store.storeCurrencyCode ?? null;
    return (await createStoreImport(command.deps)(text, { configuredCurrency })).counts;
  } finally {
    await command.stop();
    await runtime.close();
  }
};
