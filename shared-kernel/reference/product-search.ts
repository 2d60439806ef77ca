import { LRUCache } from 'lru-cache';
import type { ProductSort } from '#values/product-sort.ts';
import { wordsOf } from '#values/words.ts';
import type { BoundsOf } from './price-index.ts';
import { collectionKey, createProductIndex, filterKey, tagKey, type ProductIndex } from './product-index.ts';
import { createProductTable, fits, type ProductTable } from './product-table.ts';
import type { CatalogueReference, EntityReference, SoldProduct } from './reference.ts';
import { createPostingIntersection, type Demand } from './intersect-postings.ts';
import { bestOf, pageOf } from './sort-index-page.ts';
import type { Posting } from './word-postings.ts';

export interface ProductSearch {
  /** Words and beginnings of words, all of which must be found. */
  readonly search?: string | undefined;
  readonly collectionId?: string | undefined;
  readonly productTypeId?: string | undefined;
  readonly tag?: string | undefined;
  /** Of each group one at least, on the same variant. */
  readonly filterGroups?: readonly (readonly string[])[];
  readonly priceBounds?: BoundsOf;
  readonly sort: ProductSort;
  readonly skip: number;
  readonly limit: number;
}

export interface FoundProducts {
  readonly products: readonly SoldProduct[];
  readonly totalItems: number;
}

/** Pages are remembered until a product changes where this many products match … */
const MANY = 1000;
/** … and this many of them. */
const MAX_REMEMBERED = 500;

/** More words than this are not looked at. */
const MAX_WORDS = 10;

const namedOf = (found: Posting | undefined): Demand =>
  found === undefined ? [] : [{ posting: found, isWhole: false }];

/** A word that is looked for, and the types of products whose names it begins. */
interface WantedWord {
  readonly word: string;
  readonly typeIds: readonly string[];
}

/** Finds a page of what fits. */
const createFinder = (table: ProductTable, index: ProductIndex, entities: EntityReference) => {
  const { words, places, types } = index;
  const intersection = createPostingIntersection();

  const typesBeginningWith = (word: string): readonly string[] =>
    [...types.keys()].filter((id) => {
      const name = entities.find('productType', id)?.['name'];
      return typeof name === 'string' && wordsOf(name).some((one) => one.startsWith(word));
    });

  const wantedWords = (search: string): readonly WantedWord[] =>
    [...new Set(wordsOf(search))]
      .slice(0, MAX_WORDS)
      .map((word) => ({ word, typeIds: typesBeginningWith(word) }));

  const demandsOf = (
    { collectionId, productTypeId, tag, filterGroups = [] }: ProductSearch,
    wanted: readonly WantedWord[],
  ) => {
    const demands: Demand[] = wanted.map(({ word, typeIds }) => [
      ...words.beginningWith(word),
      ...typeIds.flatMap((id) => namedOf(types.get(id))),
    ]);
    if (collectionId !== undefined) demands.push(namedOf(places.get(collectionKey(collectionId))));
    if (productTypeId !== undefined) demands.push(namedOf(types.get(productTypeId)));
    if (tag !== undefined) demands.push(namedOf(places.get(tagKey(tag))));
    for (const group of filterGroups) demands.push(group.flatMap((id) => namedOf(places.get(filterKey(id)))));
    return demands;
  };

  const slotsFor = (asked: ProductSearch, wanted: readonly WantedWord[]): readonly number[] | null => {
    const demands = demandsOf(asked, wanted);
    const found = demands.length === 0 ? null : intersection.intersect(demands, table.products.length);
    const { priceBounds, filterGroups = [] } = asked;
    const priced = priceBounds ? table.pricedBetween(found, priceBounds) : found;
    // One demand of variants is told by postings or prices; several are to be met by the same one.
    const isTold = filterGroups.length + (priceBounds ? 1 : 0) < 2;
    if (priced === null || isTold) return priced;
    return priced.filter((slot) => {
      const product = table.products[slot];
      return product !== undefined && fits(product, priceBounds?.(product.root.taxGroupId), filterGroups);
    });
  };

  const pageFor = (asked: ProductSearch, wanted: readonly WantedWord[]): FoundProducts => {
    const slots = slotsFor(asked, wanted);
    const { sort, skip, limit } = asked;
    const { name, price, newest } = table.orders;
    const isScored = sort === 'relevance' && slots !== null && wanted.length > 0;
    const order = sort === 'newest' ? newest : sort === 'price' || sort === '-price' ? price : name;
    const page = isScored
      ? bestOf(order, slots, intersection.scoreOf, skip, limit)
      : pageOf(order, slots, sort === '-price', skip, limit);
    return {
      products: page.flatMap((slot) => table.products[slot] ?? []),
      totalItems: slots === null ? table.size() : slots.length,
    };
  };

  return { wantedWords, pageFor };
};

/**
 * The products that shoppers can buy, by words, beginnings of words and the other ways they are listed by
 * (docs/rules/catalogue.md#products-for-shoppers). It follows the catalogue from here on.
 */
export const createProductSearch = (
  catalogue: CatalogueReference,
  entities: EntityReference,
  rememberFrom = MANY,
) => {
  const table = createProductTable();
  const index = createProductIndex(table);
  const { wantedWords, pageFor } = createFinder(table, index, entities);
  for (const product of catalogue.products()) index.take(undefined, product);
  table.lay();
  const remembered = new LRUCache<string, FoundProducts>({ max: MAX_REMEMBERED });
  catalogue.watch((before, now) => {
    index.take(before, now);
    remembered.clear();
  });

  return {
    find: (asked: ProductSearch): FoundProducts => {
      const wanted = wantedWords(asked.search ?? '');
      if (asked.priceBounds) return pageFor(asked, wanted);
      // Names of types are not the catalogue's: the key holds what they come to.
      const key = JSON.stringify({ ...asked, search: wanted });
      const known = remembered.get(key);
      if (known) return known;
      const found = pageFor(asked, wanted);
      if (found.totalItems >= rememberFrom) remembered.set(key, found);
      return found;
    },
    /** How many of them there are in a collection. */
    countIn: (collectionId: string): number => index.places.get(collectionKey(collectionId))?.length ?? 0,
    /** The product with this id or address, if shoppers can buy it. */
    product: (idOrUrl: string): SoldProduct | undefined => {
      const found = catalogue.product(idOrUrl) ?? catalogue.productAt(idOrUrl.toLowerCase());
      return found && table.slotOf(found.id) !== undefined ? found : undefined;
    },
  };
};
export type ProductSearcher = ReturnType<typeof createProductSearch>;
