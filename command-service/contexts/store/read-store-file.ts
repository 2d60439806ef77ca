import {
  parseAt,
  storeBodies,
  storeFile,
  storeLists,
  storeSettings,
  type ChangeOf,
  type NewOf,
  type StoreFile,
  type StoreList,
} from '#contracts/store-file.contract.ts';
import { depthProblem } from '#contracts/free-form.ts';
import { derivedId } from '#kernel/ids.ts';
import { collectKeys, resolveKeys, variantIds, withoutVariantIds, type StoreKeys } from './resolve-keys.ts';
import type { StoreTarget, StoreTargets, TargetsFor } from './store-targets.ts';

/** An entry that is ready to be imported: as something new, and as a change of what is there. */
export interface ReadyEntry<List extends StoreList> {
  readonly id: string;
  readonly whole: NewOf<List>;
  readonly given: ChangeOf<List>;
  readonly idOfVariant: (sku: string) => string;
}

export type ReadyLists = { readonly [List in StoreList]: readonly ReadyEntry<List>[] };

export interface ReadyStore {
  readonly storeCurrencyCode: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly lists: ReadyLists;
  readonly targets: StoreTargets;
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

const readEntry = <List extends StoreList>(
  list: List,
  file: StoreFile,
  index: number,
  keys: StoreKeys,
  bodies: ReturnType<typeof storeBodies>[List],
  target: StoreTarget<NewOf<List>, ChangeOf<List>>,
  problems: string[],
): ReadyEntry<List>[] => {
  const entry = file[list][index];
  if (!entry) return [];
  const path = `${list}.${index}`;
  const resolved = resolveKeys(entry, keys, path, problems);
  const body = list === 'products' ? withoutVariantIds(resolved) : resolved;
  const whole = parseAt(bodies.create, body, path, problems) as NewOf<List> | null;
  // What is wrong with the changes is wrong with the whole.
  const given =
    whole === null ? null : (parseAt(bodies.change, body, path, problems) as ChangeOf<List> | null);
  if (whole === null || given === null) return [];
  const id = keys.idOf(list, entry.key) ?? derivedId(list, entry.key);
  for (const problem of target.problems(id, whole)) problems.push(`${path}.${problem}`);
  const ownIds = variantIds(entry);
  return [{ id, whole, given, idOfVariant: (sku) => ownIds.get(sku) ?? derivedId('variants', sku) }];
};

/** Values that stand in the file twice although they must be unique. */
const repeatedValues = (lists: ReadyLists): string[] => {
  const seen = new Set<string>();
  const problems: string[] = [];
  const check = (kind: string, value: string | null | undefined, path: string): void => {
    if (value === null || value === undefined) return;
    const key = `${kind} ${value}`;
    if (seen.has(key))
      problems.push(`${path}: a value that stands there once was expected, not ${value} again`);
    seen.add(key);
  };
  lists.warehouses.forEach(({ whole }, index) => {
    check('warehouse', whole.code?.toLowerCase(), `warehouses.${index}.code`);
  });
  lists.discounts.forEach(({ whole }, index) => check('discount', whole.code, `discounts.${index}.code`));
  lists.products.forEach(({ whole }, index) => {
    check('url', whole.rootUrl, `products.${index}.rootUrl`);
    check('sku', whole.sku, `products.${index}.sku`);
    (whole.variants ?? []).forEach(({ sku }, place) =>
      check('sku', sku, `products.${index}.variants.${place}.sku`),
    );
  });
  return problems;
};

const currencyOf = (given: string | undefined, known: string | null, problems: string[]): string => {
  if (known !== null && given !== undefined && given !== known) {
    problems.push(`settings.storeCurrencyCode: ${known} was expected, the currency of this store`);
  }
  return known ?? given ?? 'USD';
};

/**
 * Reads a whole store file (decisions, management 8). `currency` is what the log or the configuration has fixed, null
 * when the file decides. Throws `InvalidStoreFile` with every problem.
 */
export const readStoreFile = (text: string, currency: string | null, targetsFor: TargetsFor): ReadyStore => {
  const problems: string[] = [];
  const given = parseJson(text);
  const tooDeep = depthProblem(given);
  if (tooDeep !== null) throw new InvalidStoreFile([`${tooDeep.path}: ${tooDeep.expected}`]);
  const file = parseAt(storeFile, given, '', problems);
  if (file === null) throw new InvalidStoreFile(problems);
  const keys = collectKeys(file, problems);
  const settingsGiven = resolveKeys(file.settings, keys, 'settings', problems);
  const parsed = parseAt(storeSettings, settingsGiven, 'settings', problems) ?? {};
  const { storeCurrencyCode: wanted, ...settings } = parsed;
  const storeCurrencyCode = currencyOf(wanted, currency, problems);
  const targets = targetsFor(() => storeCurrencyCode);
  const bodies = storeBodies(() => storeCurrencyCode);
  const read = <List extends StoreList>(list: List): readonly ReadyEntry<List>[] =>
    file[list].flatMap((_, index) =>
      readEntry(list, file, index, keys, bodies[list], targets[list], problems),
    );
  const lists = Object.fromEntries(storeLists.map((list) => [list, read(list)])) as unknown as ReadyLists;
  problems.push(...repeatedValues(lists));
  if (problems.length > 0) throw new InvalidStoreFile(problems);
  return { storeCurrencyCode, settings, lists, targets };
};
