import { LRUCache } from 'lru-cache';
import type { Reference, SoldProduct } from '../reference.ts';
import { createFacetCounting, type Facets } from './count-facets.ts';
import { createFinder, type Conditions, type FoundProducts, type PageAsked } from './find-products.ts';
import type { BoundsOf } from './price-index.ts';
import { collectionKey, createProductIndex, tagKey } from './product-index.ts';
import { createProductTable, type ProductTable } from './product-table.ts';
import { createWordSearch, type WordSearch } from './wanted-words.ts';
import { slotIn } from './word-index.ts';

/** Which products are asked for. */
export interface ProductQuery {
  /** Words and beginnings of words, all of which must be found. */
  readonly search?: string | undefined;
  readonly collectionId?: string | undefined;
  readonly productTypeId?: string | undefined;
  readonly tag?: string | undefined;
  /** Collections and types, of one of which it is. */
  readonly categoryIds?: readonly string[] | undefined;
  /** Of each group one at least, on the same variant. */
  readonly filterGroups?: readonly (readonly string[])[];
  readonly priceBounds?: BoundsOf;
  /** The variant that meets the rest can be had. */
  readonly availableOnly?: boolean | undefined;
}

export type ProductSearch = ProductQuery & PageAsked;

/** What a search follows. */
export type SearchedReference = Pick<Reference, 'catalogue' | 'entities' | 'stock' | 'shipping'>;

/** Pages for which so much was gone through are remembered until a product changes … */
const MANY = 1000;
/** … and this many of them. */
const MAX_REMEMBERED = 500;

/** What is asked for in words that are there, and prices of the store: all that an answer depends on. */
const conditionsOf = (
  { search = '', priceBounds, filterGroups = [], ...rest }: ProductQuery,
  words: WordSearch,
  { prices }: ProductTable,
): Conditions => ({
  wanted: words.wanted(search),
  collectionId: rest.collectionId,
  productTypeId: rest.productTypeId,
  tag: rest.tag,
  categoryIds: rest.categoryIds,
  filterGroups,
  bounds: priceBounds ? prices.groups.map(priceBounds) : null,
  availableOnly: rest.availableOnly ?? false,
});

/**
 * The products that shoppers can buy, by words, beginnings of words and the other ways they are listed by
 * (docs/rules/search.md). It follows the catalogue and its stock from here on.
 */
export const createProductSearch = (reference: SearchedReference, rememberFrom = MANY) => {
  const { catalogue, entities, stock } = reference;
  const table = createProductTable();
  const index = createProductIndex(table, reference);
  const words = createWordSearch(index, entities);
  const finder = createFinder(table, index, words);
  const counting = createFacetCounting(table, index, finder, entities);
  const remembered = new LRUCache<string, FoundProducts>({ max: MAX_REMEMBERED });
  const forget = (): void => {
    remembered.clear();
    counting.forget();
  };

  for (const product of catalogue.products()) index.take(undefined, product);
  table.lay();
  index.words.lay();
  index.descriptions.lay();
  catalogue.watch((before, now) => {
    index.take(before, now);
    forget();
  });
  stock.watch((productId) => {
    const sellable = catalogue.variant(productId);
    if (sellable && index.restock(sellable)) forget();
  });

  return {
    find: (asked: ProductSearch): FoundProducts => {
      const { sort, skip, limit, after } = asked;
      const conditions = conditionsOf(asked, words, table);
      const key = JSON.stringify([conditions, sort, skip, limit, after]);
      const known = remembered.get(key);
      if (known) return known;
      const found = finder.pageFor(conditions, { sort, skip, limit, after });
      if (finder.effort() >= rememberFrom) remembered.set(key, found);
      return found;
    },
    /** How many there are of what else can be chosen. */
    facets: (asked: ProductQuery): Facets => counting.facets(conditionsOf(asked, words, table)),
    /** A tag as a product spells it, by its plain text. */
    tagName: (tag: string): string => {
      const found = index.places.get(tagKey(tag));
      const slot = found === undefined ? -1 : slotIn(found.codes[found.from] ?? 0);
      return table.products[slot]?.root.tags.find((one) => tagKey(one) === tagKey(tag)) ?? tag;
    },
    /** How many of them there are in a collection. */
    countIn: (collectionId: string): number => index.places.lengthOf(collectionKey(collectionId)),
    /** The product with this id or address, if shoppers can buy it. */
    product: (idOrUrl: string): SoldProduct | undefined => {
      const found = catalogue.product(idOrUrl) ?? catalogue.productAt(idOrUrl.toLowerCase());
      return found && table.slotOf(found.id) !== undefined ? found : undefined;
    },
  };
};
export type ProductSearcher = ReturnType<typeof createProductSearch>;

const searches = new WeakMap<SearchedReference['catalogue'], ProductSearcher>();

/** The search of a process, which all its services share: made when it is first asked for. */
export const productSearchOf = (reference: SearchedReference): ProductSearcher => {
  const known = searches.get(reference.catalogue);
  if (known) return known;
  const search = createProductSearch(reference);
  searches.set(reference.catalogue, search);
  return search;
};
