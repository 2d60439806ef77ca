import { derivedId } from '#kernel/ids.ts';
import {
  storeLists,
  type StoreEntry,
  type StoreFile,
  type StoreList,
} from '#contracts/store-file.contract.ts';

/** Fields of entries that name other entries by key, and the fields of the bodies that they become. */
const referenceFields: Readonly<Record<string, { readonly list: StoreList; readonly becomes: string }>> = {
  taxGroup: { list: 'taxGroups', becomes: 'taxGroupId' },
  shippingTaxGroup: { list: 'taxGroups', becomes: 'shippingTaxGroupId' },
  warehouse: { list: 'warehouses', becomes: 'warehouseId' },
  productType: { list: 'productTypes', becomes: 'productTypeId' },
  collections: { list: 'collections', becomes: 'collectionIds' },
  allowedShippingOptions: { list: 'shippingOptions', becomes: 'allowedShippingOptionIds' },
  excludedShippingOptions: { list: 'shippingOptions', becomes: 'excludedShippingOptionIds' },
};

/** Free text that may use those names for something else. */
const opaqueFields = new Set(['extendedData']);

/** The ids of everything that a store file names. */
export interface StoreKeys {
  idOf(list: StoreList, key: string): string | undefined;
}

/** Each entry's id is its own or the UUIDv5 of list and key; a key that stands there twice is a problem. */
export const collectKeys = (file: StoreFile, problems: string[]): StoreKeys => {
  const ids = new Map<string, string>();
  for (const list of storeLists) {
    file[list].forEach(({ key, id }, index) => {
      const name = `${list} ${key}`;
      if (ids.has(name))
        problems.push(`${list}.${index}.key: a key of its own was expected, not ${key} again`);
      ids.set(name, id ?? derivedId(list, key));
    });
  }
  return { idOf: (list, key) => ids.get(`${list} ${key}`) };
};

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What stands for a key that the file does not have: its problem has been told, the body need not tell it again. */
const missingId = derivedId('missing');

/** Turns the keys that an entry names, at any depth, into ids. */
export const resolveKeys = (value: unknown, keys: StoreKeys, path: string, problems: string[]): unknown => {
  if (Array.isArray(value)) {
    return value.map((item, index) => resolveKeys(item, keys, `${path}.${index}`, problems));
  }
  if (!isFields(value)) return value;
  const look = (list: StoreList, key: unknown, where: string): unknown => {
    const id = typeof key === 'string' ? keys.idOf(list, key) : undefined;
    if (id !== undefined || key === null) return id ?? null;
    problems.push(`${where}: the key of one of the ${list} was expected`);
    return missingId;
  };
  const resolved = Object.entries(value).map(([name, given]): [string, unknown] => {
    const where = `${path}.${name}`;
    if (opaqueFields.has(name)) return [name, given];
    const reference = referenceFields[name];
    if (reference === undefined) return [name, resolveKeys(given, keys, where, problems)];
    const { list, becomes } = reference;
    if (!Array.isArray(given)) return [becomes, look(list, given, where)];
    return [becomes, given.map((key, index) => look(list, key, `${where}.${index}`))];
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
