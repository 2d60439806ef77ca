import { referenceTo, type StoreReference } from '#command/engine/store-reference.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Key lists by type; types by name in any case or by number, as in every body. */
const lists: Readonly<Record<string, string>> = {
  producttypes: 'productTypes',
  0: 'productTypes',
  productfilters: 'filters',
  1: 'filters',
  collections: 'collections',
  2: 'collections',
  specificproducts: 'products',
  3: 'products',
  suppliers: 'suppliers',
  4: 'suppliers',
};

const listBy = (field: string) => (beside: Fields) => lists[String(beside[field]).toLowerCase()] ?? null;

/** A key usually names a group, else a single filter. */
const groupsOrFilters = ['filterGroups', 'filters'] as const;

/** References of a rule's parts in a store file (docs/rules/store-file.md#entries). */
export const upsellKeys: readonly StoreReference[] = [
  referenceTo('triggerIds', listBy('triggerType')),
  { field: 'ids', becomes: 'ids', list: listBy('recommendationType') },
  referenceTo('extractFilterIds', groupsOrFilters),
  referenceTo('matchFilterIds', groupsOrFilters),
];
