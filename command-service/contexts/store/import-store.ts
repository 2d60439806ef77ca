import { createHash } from 'node:crypto';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import type { StoreList } from '#command/engine/store-list.ts';
import { newId } from '#kernel/ids.ts';
import { inParallel } from '#runtime/work-off.ts';
import type { SettingsCommand } from '../settings/settings.commands.ts';
import { SETTINGS, settingsStream } from '../settings/settings.stream.ts';
import { readStoreFile, type ReadyEntry, type ReadyList } from './read-store-file.ts';

/** How far an import is. */
export interface ImportProgress {
  readonly done: number;
  readonly total: number;
  readonly list: string;
}

export interface ImportOptions {
  /** What the configuration says; it wins over the file. */
  readonly configuredCurrency?: string | null;
  readonly onProgress?: (progress: ImportProgress) => void;
}

export interface ImportSummary {
  /** Entries by list. */
  readonly counts: Readonly<Record<string, number>>;
  /** Entries that were created or changed. */
  readonly changed: number;
  readonly position: number;
}

/** Entries that are under way at the same time: enough to fill the log's group commits. */
const AT_ONCE = 64;

const importEntry = async (
  { id, whole, given, idOfVariant }: ReadyEntry,
  list: StoreList,
  meta: CommandMeta,
): Promise<boolean> => {
  const { hasChanged } = (await list.exists(id))
    ? await list.changeEntry(id, given, meta, idOfVariant)
    : await list.createEntry(id, whole, meta, idOfVariant);
  return hasChanged;
};

const importLists = async (
  lists: readonly ReadyList[],
  reach: () => Promise<void>,
  meta: CommandMeta,
  onProgress: (progress: ImportProgress) => void,
): Promise<number> => {
  const total = lists.reduce((sum, { entries }) => sum + entries.length, 0);
  let done = 0;
  let changed = 0;
  for (const { list, entries } of lists) {
    // What names entries of an earlier list is to find them.
    if (entries.length > 0) await reach();
    await inParallel(entries, AT_ONCE, async (entry) => {
      if (await importEntry(entry, list, meta)) changed++;
      onProgress({ done: ++done, total, list: list.name });
    });
  }
  return changed;
};

/** Imports the text of a store file. Errors: `InvalidStoreFile` with every problem; then nothing has been imported. */
export type ImportStore = (text: string, options?: ImportOptions) => Promise<ImportSummary>;

/**
 * Imports a whole store from the text of a store file (docs/rules/store-file.md#importing): checked as a whole first,
 * then entry by entry under ids that follow from list and key, so that the same file changes nothing and a killed
 * import is finished by the next. `StoreImported` comes last and says that everything is there.
 */
export const createStoreImport =
  ({ streams, storeLists, reach }: Pick<ModuleDeps, 'streams' | 'storeLists' | 'reach'>): ImportStore =>
  async (text, { configuredCurrency = null, onProgress = () => undefined } = {}) => {
    const opened = (await streams.load(settingsStream, SETTINGS)).state.storeCurrencyCode;
    const { storeCurrencyCode, settings, lists } = await readStoreFile(
      text,
      opened ?? configuredCurrency,
      storeLists,
    );
    const correlationId = newId();
    const meta: CommandMeta = {
      correlationId,
      causationId: correlationId,
      actor: { kind: 'system', id: null },
    };
    const send = (command: SettingsCommand) => streams.send(settingsStream, SETTINGS, command, meta);
    await send({ type: 'OpenStore', storeCurrencyCode });
    const changed = await importLists(lists, reach, meta, onProgress);
    const { events } = await send({ type: 'ChangeStoreSettings', settings });
    const counts = Object.fromEntries(lists.map(({ list, entries }) => [list.name, entries.length]));
    const fileHash = createHash('sha256').update(text).digest('hex');
    const { position } = await send({ type: 'RecordStoreImport', fileHash, counts });
    return { counts, changed: changed + (events.length > 0 ? 1 : 0), position };
  };
