import type { Reference } from '#reference/reference.ts';

/** Things of the shop that rules name: what one is called, and whether there is such a one. */
export type KnownResource = readonly [noun: string, has: (reference: Reference, id: string) => boolean];

const entityCreated = (noun: string, category: string): KnownResource => [
  noun,
  ({ entities }, id) => entities.has(category, id),
];

export const knownResources = {
  SpecificProducts: [
    'product',
    ({ catalogue }, id) => catalogue.variant(id) !== undefined || catalogue.product(id) !== undefined,
  ],
  Collections: entityCreated('collection', 'collection'),
  ProductFilters: entityCreated('filter', 'filter'),
  ProductTypes: entityCreated('product type', 'productType'),
  Suppliers: entityCreated('supplier', 'supplier'),
  Warehouses: entityCreated('warehouse', 'warehouse'),
} as const satisfies Readonly<Record<string, KnownResource>>;

/** Those of the ids that the shop does not have, as `path: what was expected`. */
export const unknownAmong = (
  ids: readonly string[],
  path: string,
  noun: string,
  has: (id: string) => boolean,
): readonly string[] =>
  ids.flatMap((id, index) => (has(id) ? [] : [`${path}.${index}: must be an existing ${noun}`]));
