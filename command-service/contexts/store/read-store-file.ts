import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  entryPath,
  parseAt,
  storeFile,
  storeSettings,
  type StoreFile,
} from '#contracts/store-file.contract.ts';
import type { StoreList, StoreListsFor } from '#command/engine/store-list.ts';
import { referenceTo } from '#command/engine/store-reference.ts';
import { depthProblem } from '#fields/free-form.ts';
import { derivedId } from '#kernel/ids.ts';
import { collectKeys, resolveKeys, variantIds, withoutVariantIds, type StoreKeys } from './resolve-keys.ts';

/** An entry that is ready to be imported: as something new, and as a change of what is there. */
export interface ReadyEntry {
  readonly id: string;
  readonly whole: object;
  readonly given: object;
  readonly idOfVariant: (sku: string) => string;
}

/** A list with its entries. */
export interface ReadyList {
  readonly list: StoreList;
  readonly entries: readonly ReadyEntry[];
}

export interface ReadyStore {
  readonly storeCurrencyCode: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly lists: readonly ReadyList[];
}

/** The store file cannot be imported; nothing was. */
export class InvalidStoreFile extends Error {
  override readonly name = 'InvalidStoreFile';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The store file cannot be imported:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidStoreFile([`not valid JSON: ${error instanceof Error ? error.message : 'unreadable'}`]);
  }
};

const readEntry = async (
  list: StoreList,
  file: StoreFile,
  index: number,
  keys: StoreKeys,
  problems: string[],
): Promise<ReadyEntry[]> => {
  const entry = file.lists[list.name]?.[index];
  if (!entry) return [];
  const path = entryPath(file, list.name, index);
  const resolved = resolveKeys(entry, keys, path, problems);
  const body = list.name === 'products' ? withoutVariantIds(resolved) : resolved;
  const whole = parseAt(list.create, body, path, problems);
  // What is wrong with the changes is wrong with the whole.
  const given = whole === null ? null : parseAt(list.change, body, path, problems);
  if (whole === null || given === null) return [];
  const id = keys.idOf(list.name, entry.key) ?? derivedId(list.name, entry.key);
  for (const problem of await list.problemsOf(id, whole)) problems.push(`${path}.${problem}`);
  const ownIds = variantIds(entry);
  return [{ id, whole, given, idOfVariant: (sku) => ownIds.get(sku) ?? derivedId('variants', sku) }];
};

/** After this many entries other work gets its turn. */
const ENTRIES_AT_ONCE = 100;

const readList = async (
  list: StoreList,
  file: StoreFile,
  keys: StoreKeys,
  problems: string[],
): Promise<ReadyList> => {
  const count = file.lists[list.name]?.length ?? 0;
  const entries: ReadyEntry[] = [];
  for (let index = 0; index < count; index++) {
    if (index % ENTRIES_AT_ONCE === 0) await nextTurn();
    entries.push(...(await readEntry(list, file, index, keys, problems)));
  }
  return { list, entries };
};

/** Values that stand in the file twice although they must be unique. */
const repeatedValues = (file: StoreFile, lists: readonly ReadyList[]): string[] => {
  const seen = new Set<string>();
  return lists.flatMap(({ list, entries }) =>
    entries.flatMap(({ whole }, index) =>
      list.uniqueIn(whole).flatMap(({ kind, value, path }) => {
        const key = `${kind} ${value}`;
        const where = `${entryPath(file, list.name, index)}.${path}`;
        if (seen.has(key)) return [`${where}: must be a value that stands there once, not ${value} again`];
        seen.add(key);
        return [];
      }),
    ),
  );
};

const settingsReferences = [referenceTo('shippingTaxGroupId', 'taxGroups')];

const currencyOf = (given: string | undefined, known: string | null, problems: string[]): string => {
  if (known !== null && given !== undefined && given !== known) {
    problems.push(`settings.storeCurrencyCode: must be ${known}, the currency of this store`);
  }
  return known ?? given ?? 'USD';
};

/**
 * Reads a whole store file (docs/rules/store-file.md#importing). `currency` is what the log or the configuration has
 * fixed, null when the file decides. A large one is read a little at a time: shoppers come first. Errors:
 * `InvalidStoreFile` with every problem.
 */
export const readStoreFile = async (
  text: string,
  currency: string | null,
  listsFor: StoreListsFor,
): Promise<ReadyStore> => {
  const problems: string[] = [];
  const given = parseJson(text);
  await nextTurn();
  const tooDeep = depthProblem(given);
  await nextTurn();
  if (tooDeep !== null) throw new InvalidStoreFile([`${tooDeep.path}: ${tooDeep.expected}`]);
  const file = parseAt(storeFile, given, '', problems);
  if (file === null) throw new InvalidStoreFile(problems);
  await nextTurn();
  const keys = collectKeys(
    file,
    [...listsFor(() => currency ?? '').flatMap(({ references }) => references), ...settingsReferences],
    problems,
  );
  const settingsGiven = resolveKeys(file.settings, keys, 'settings', problems);
  const parsed = parseAt(storeSettings, settingsGiven, 'settings', problems) ?? {};
  const { storeCurrencyCode: wanted, ...settings } = parsed;
  const storeCurrencyCode = currencyOf(wanted, currency, problems);
  const lists: ReadyList[] = [];
  for (const list of listsFor(() => storeCurrencyCode))
    lists.push(await readList(list, file, keys, problems));
  await nextTurn();
  problems.push(...repeatedValues(file, lists));
  if (problems.length > 0) throw new InvalidStoreFile(problems);
  return { storeCurrencyCode, settings, lists };
};
