import type { StoreReference } from '#command/engine/store-reference.ts';
import { derivedId } from '#kernel/ids.ts';
import { entryPath, storeLists, type StoreEntry, type StoreFile } from '#contracts/store-file.contract.ts';

/** Free text that may use those names for something else. */
const opaqueFields = new Set(['extendedData', 'displayStyles']);

/** The ids of everything that a store file names. */
export interface StoreKeys {
  idOf(list: string, key: string): string | undefined;
  /** What a field of an entry may refer to. */
  referencesAt(field: string): readonly StoreReference[];
}

/** Each entry's id is its own or the UUIDv5 of list and key; a key that stands there twice is a problem. */
export const collectKeys = (
  file: StoreFile,
  references: readonly StoreReference[],
  problems: string[],
): StoreKeys => {
  const ids = new Map<string, string>();
  for (const list of storeLists) {
    file.lists[list]?.forEach(({ key, id }, index) => {
      const name = `${list} ${key}`;
      if (ids.has(name))
        problems.push(`${entryPath(file, list, index)}.key: must be a key of its own, not ${key} again`);
      ids.set(name, id ?? derivedId(list, key));
    });
  }
  const byField = Map.groupBy(references, ({ field }) => field);
  return {
    idOf: (list, key) => ids.get(`${list} ${key}`),
    referencesAt: (field) => byField.get(field) ?? [],
  };
};

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What stands for a key that the file does not have: its problem has been told, the body need not tell it again. */
const missingId = derivedId('missing');

/** The lists that a field may name, by the fields beside it; none: these are no keys. */
const listsOf = ({ list }: StoreReference, beside: Fields): readonly string[] => {
  const lists = typeof list === 'function' ? list(beside) : list;
  if (lists === null) return [];
  return typeof lists === 'string' ? [lists] : lists;
};

/** Turns the keys that an entry names, at any depth, into ids. */
export const resolveKeys = (value: unknown, keys: StoreKeys, path: string, problems: string[]): unknown => {
  if (Array.isArray(value)) {
    return value.map((item, index) => resolveKeys(item, keys, `${path}.${index}`, problems));
  }
  if (!isFields(value)) return value;
  const look = (lists: readonly string[], key: unknown, where: string): unknown => {
    for (const list of lists) {
      const id = typeof key === 'string' ? keys.idOf(list, key) : undefined;
      if (id !== undefined || key === null) return id ?? null;
    }
    problems.push(`${where}: must be the key of one of the ${lists.join(' or ')}`);
    return missingId;
  };
  const resolved = Object.entries(value).map(([name, given]): [string, unknown] => {
    const where = `${path}.${name}`;
    if (opaqueFields.has(name)) return [name, given];
    const references = keys.referencesAt(name);
    if (references.length === 0) return [name, resolveKeys(given, keys, where, problems)];
    const meant = references.find((reference) => listsOf(reference, value).length > 0);
    const { becomes = name } = meant ?? references[0] ?? {};
    if (meant === undefined) return [becomes, given];
    const lists = listsOf(meant, value);
    if (!Array.isArray(given)) return [becomes, look(lists, given, where)];
    return [becomes, given.map((key, index) => look(lists, key, `${where}.${index}`))];
  });
  return Object.fromEntries(resolved);
};

/** The ids of a product's variants by sku: their own or the UUIDv5 of `variants` and the sku. */
export const variantIds = (entry: StoreEntry): ReadonlyMap<string, string> => {
  const given = entry['variants'];
  const variants: readonly unknown[] = Array.isArray(given) ? given : [];
  return new Map(
    variants
      .filter(isFields)
      .flatMap(({ id, sku }): [string, string][] =>
        typeof id === 'string' && typeof sku === 'string' ? [[sku.trim(), id.toLowerCase()]] : [],
      ),
  );
};

/** A product without the ids of its variants: in a store file they are found by sku. */
export const withoutVariantIds = (product: unknown): unknown => {
  if (!isFields(product) || !Array.isArray(product['variants'])) return product;
  const variants = product['variants'].map((variant: unknown) => {
    if (!isFields(variant)) return variant;
    const { id: _, ...fields } = variant;
    return fields;
  });
  return { ...product, variants };
};
