import { readFile } from 'node:fs/promises';
import type { ModuleDeps } from '#command/engine/module.ts';
import { newId } from '#kernel/ids.ts';
import type { Config } from '#runtime/config.ts';
import { SETTINGS, settingsStream } from '../settings/settings.stream.ts';
import { placeDemoDownloads } from './demo-downloads.ts';
import type { ImportStore } from './import-store.ts';

const demoStore = new URL('./demo-store.json', import.meta.url);

const readStoreFile = ({ storeFile }: Config): Promise<string> | null => {
  if (storeFile.kind === 'none') return null;
  return readFile(storeFile.kind === 'file' ? storeFile.path : demoStore, 'utf8');
};

/**
 * Fixes the store's currency and, on a first start, imports the store file. Errors: `InvalidStoreFile`, Rejection
 * `store-currency-fixed`.
 */
export const openStore = async (
  { config, reference, streams, log }: ModuleDeps,
  importStore: ImportStore,
  onProgress: (done: number, total: number) => void,
): Promise<void> => {
  const configuredCurrency = config.store.storeCurrencyCode ?? null;
  const text = reference.settings.isStoreImported() ? null : await readStoreFile(config);
  if (text !== null) {
    if (config.storeFile.kind === 'demo') await placeDemoDownloads(config.dataDir, log);
    await importStore(text, { configuredCurrency, onProgress: ({ done, total }) => onProgress(done, total) });
  }
  const { state } = await streams.load(settingsStream, SETTINGS);
  const storeCurrencyCode =
    configuredCurrency ?? state.storeCurrencyCode ?? reference.settings.current().storeCurrencyCode;
  const correlationId = newId();
  await streams.send(
    settingsStream,
    SETTINGS,
    { type: 'OpenStore', storeCurrencyCode },
    {
      correlationId,
      causationId: correlationId,
      actor: { kind: 'system', id: null },
    },
  );
};
