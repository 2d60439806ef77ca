import { createHash } from 'node:crypto';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { storeLists, type StoreList } from '#contracts/store-file.contract.ts';
import { newId } from '#kernel/ids.ts';
import { readStoreFile, type ReadyEntry, type ReadyLists } from './read-store-file.ts';
import type { StoreOpening, StoreTarget, StoreTargets, TargetsFor } from './store-targets.ts';

/** How far an import is. */
export interface ImportProgress {
  readonly done: number;
  readonly total: number;
  readonly list: StoreList;
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

const importEntry = async <List extends StoreList>(
  { id, whole, given, idOfVariant }: ReadyEntry<List>,
  target: StoreTarget<ReadyEntry<List>['whole'], ReadyEntry<List>['given']>,
  meta: CommandMeta,
): Promise<boolean> => {
  const { hasChanged } = (await target.exists(id))
    ? await target.change(id, given, meta, idOfVariant)
    : await target.create(id, whole, meta, idOfVariant);
  return hasChanged;
};

const importLists = async (
  lists: ReadyLists,
  targets: StoreTargets,
  meta: CommandMeta,
  onProgress: (progress: ImportProgress) => void,
): Promise<number> => {
  const total = storeLists.reduce((sum, list) => sum + lists[list].length, 0);
  let done = 0;
  let changed = 0;
  const run = <List extends StoreList>(list: List): Promise<void> =>
    inParallel<ReadyEntry<List>>(lists[list], async (entry) => {
      if (await importEntry(entry, targets[list], meta)) changed++;
      onProgress({ done: ++done, total, list });
    });
  for (const list of storeLists) await run(list);
  return changed;
};

/**
 * Imports a whole store from the text of a store file (decisions, management 8): checked as a whole first
 * (`InvalidStoreFile`), then entry by entry under ids that follow from list and key, so that the same file changes
 * nothing and a killed import is finished by the next. `StoreImported` comes last and says that everything is there.
 */
export const importStore = async (
  text: string,
  targetsFor: TargetsFor,
  opening: StoreOpening,
  { configuredCurrency = null, onProgress = () => undefined }: ImportOptions = {},
): Promise<ImportSummary> => {
  const currency = (await opening.currency()) ?? configuredCurrency;
  const { storeCurrencyCode, settings, lists, targets } = readStoreFile(text, currency, targetsFor);
  const correlationId = newId();
  const meta: CommandMeta = {
    correlationId,
    causationId: correlationId,
    actor: { kind: 'system', id: null },
  };
  await opening.open(storeCurrencyCode, meta);
  const changed = await importLists(lists, targets, meta, onProgress);
  const hasNewSettings = await opening.change(settings, meta);
  const counts = Object.fromEntries(storeLists.map((list) => [list, lists[list].length]));
  const fileHash = createHash('sha256').update(text).digest('hex');
  const { position } = await opening.recordImport(fileHash, counts, meta);
  return { counts, changed: changed + (hasNewSettings ? 1 : 0), position };
};
