import { createHash } from 'node:crypto';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { newId } from '#kernel/ids.ts';
import { readStoreFile, type ListsFor, type ReadyEntry, type ReadyList } from './read-store-file.ts';
import type { StoreList } from './store-list.ts';

/** The shop's settings as the import needs them. */
export interface StoreOpening {
  currency(): Promise<string | null>;
  open(storeCurrencyCode: string, meta: CommandMeta): Promise<boolean>;
  change(settings: Readonly<Record<string, unknown>>, meta: CommandMeta): Promise<boolean>;
  recordImport(
    fileHash: string,
    counts: Readonly<Record<string, number>>,
    meta: CommandMeta,
  ): Promise<{ readonly position: number; readonly hasChanged: boolean }>;
}

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
const atOnce = 64;

const inParallel = async <Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<void> => {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
};

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
  meta: CommandMeta,
  onProgress: (progress: ImportProgress) => void,
): Promise<number> => {
  const total = lists.reduce((sum, { entries }) => sum + entries.length, 0);
  let done = 0;
  let changed = 0;
  for (const { list, entries } of lists) {
    await inParallel(entries, async (entry) => {
      if (await importEntry(entry, list, meta)) changed++;
      onProgress({ done: ++done, total, list: list.name });
    });
  }
  return changed;
};

/**
 * Imports a whole store from the text of a store file (docs/rules/store-file.md#importing): checked as a whole first
 * (`InvalidStoreFile`), then entry by entry under ids that follow from list and key, so that the same file changes
 * nothing and a killed import is finished by the next. `StoreImported` comes last and says that everything is there.
 */
export const importStore = async (
  text: string,
  listsFor: ListsFor,
  opening: StoreOpening,
  { configuredCurrency = null, onProgress = () => undefined }: ImportOptions = {},
): Promise<ImportSummary> => {
  const currency = (await opening.currency()) ?? configuredCurrency;
  const { storeCurrencyCode, settings, lists } = readStoreFile(text, currency, listsFor);
  const correlationId = newId();
  const meta: CommandMeta = {
    correlationId,
    causationId: correlationId,
    actor: { kind: 'system', id: null },
  };
  await opening.open(storeCurrencyCode, meta);
  const changed = await importLists(lists, meta, onProgress);
  const hasNewSettings = await opening.change(settings, meta);
  const counts = Object.fromEntries(lists.map(({ list, entries }) => [list.name, entries.length]));
  const fileHash = createHash('sha256').update(text).digest('hex');
  const { position } = await opening.recordImport(fileHash, counts, meta);
  return { counts, changed: changed + (hasNewSettings ? 1 : 0), position };
};
