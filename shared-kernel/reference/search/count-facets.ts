import { LRUCache } from 'lru-cache';
import type { EntityReference } from '../reference.ts';
import { createProductCounting, type PriceSpan, type ProductCounts } from './count-products.ts';
import type { Conditions, Finder } from './find-products.ts';
import type { ProductIndex } from './product-index.ts';
import type { ProductTable } from './product-table.ts';

/** Counts by id, tags by their plain text: of the products that are found if this is chosen beside the rest. */
export interface Facets {
  readonly filters: ReadonlyMap<string, number>;
  readonly collections: ReadonlyMap<string, number>;
  readonly productTypes: ReadonlyMap<string, number>;
  readonly tags: ReadonlyMap<string, number>;
  readonly available: number;
  readonly unavailable: number;
  readonly prices: readonly PriceSpan[];
}

const MAX_REMEMBERED = 500;
const MAX_COUNTS = 200_000;

/**
 * Counts what else can be chosen. What is chosen of a kind is left out when that kind is counted, so that its others
 * say what would be found instead of it or beside it (docs/rules/search.md#facets).
 */
export const createFacetCounting = (
  table: ProductTable,
  { facts, places }: ProductIndex,
  { slotsOf, variantDemands }: Finder,
  entities: EntityReference,
) => {
  const countIn = createProductCounting(facts, places, table.prices);
  const remembered = new LRUCache<string, ProductCounts>({
    max: MAX_REMEMBERED,
    maxSize: MAX_COUNTS,
    sizeCalculation: ({ filters, collections, types, tags }) =>
      filters.size + collections.size + types.size + tags.size + 1,
  });
  const countsFor = (asked: Conditions): ProductCounts => {
    const key = JSON.stringify(asked);
    const known = remembered.get(key);
    if (known) return known;
    const isOfVariants = asked.filterGroups.length > 0 || asked.bounds !== null || asked.availableOnly;
    const found = countIn(slotsOf(asked), isOfVariants ? variantDemands(asked) : null);
    remembered.set(key, found);
    return found;
  };
  const groupOf = (filterId: string): unknown =>
    entities.find('filter', filterId)?.['filterGroupId'] ?? filterId;

  const filtersOf = (asked: Conditions): ReadonlyMap<string, number> => {
    const { filters } = countsFor(asked);
    if (asked.filterGroups.length === 0) return filters;
    const chosen = new Set(asked.filterGroups.flat().map(groupOf));
    const others = Array.from(filters).filter(([id]) => !chosen.has(groupOf(id)));
    const besideChosen = asked.filterGroups.flatMap((group) => {
      const mine = new Set(group.map(groupOf));
      const rest = countsFor({ ...asked, filterGroups: asked.filterGroups.filter((one) => one !== group) });
      return Array.from(rest.filters).filter(([id]) => mine.has(groupOf(id)));
    });
    return new Map([...others, ...besideChosen]);
  };

  return {
    facets: (asked: Conditions): Facets => {
      const inStock = countsFor({ ...asked, availableOnly: false });
      return {
        filters: filtersOf(asked),
        collections: countsFor({ ...asked, collectionId: undefined }).collections,
        productTypes: countsFor({ ...asked, productTypeId: undefined }).types,
        tags: countsFor({ ...asked, tag: undefined }).tags,
        available: inStock.available,
        unavailable: inStock.total - inStock.available,
        prices: countsFor({ ...asked, bounds: null }).prices,
      };
    },
    forget: (): void => remembered.clear(),
  };
};
