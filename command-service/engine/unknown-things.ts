import type { Reference } from '#reference/reference.ts';

/** Things of the shop that rules name: what one is called, and whether there is such a one. */
export type KnownThing = readonly [noun: string, has: (reference: Reference, id: string) => boolean];

const managed = (noun: string, category: string): KnownThing => [
  noun,
  ({ entities }, id) => entities.has(category, id),
];

export const knownThings = {
  SpecificProducts: [
    'product',
    ({ catalogue }, id) => catalogue.variant(id) !== undefined || catalogue.product(id) !== undefined,
  ],
  Collections: managed('collection', 'collection'),
  ProductFilters: managed('filter', 'filter'),
  ProductTypes: managed('product type', 'productType'),
  Suppliers: managed('supplier', 'supplier'),
  Warehouses: managed('warehouse', 'warehouse'),
} as const satisfies Readonly<Record<string, KnownThing>>;

/** Those of the ids that the shop does not have, as `path: what was expected`. */
export const unknownAmong = (
  ids: readonly string[],
  path: string,
  noun: string,
  has: (id: string) => boolean,
): readonly string[] =>
  ids.flatMap((id, index) => (has(id) ? [] : [`${path}.${index}: must be an existing ${noun}`]));
