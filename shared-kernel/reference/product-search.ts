import { LRUCache } from 'lru-cache';
import type { ProductVariant } from '#events/catalogue.events.ts';
import type { Minor } from '#values/money.ts';
import type { ProductSort } from '#values/product-sort.ts';
import { plainText, wordsOf } from '#values/words.ts';
import type { CatalogueReference, EntityReference, SoldProduct } from './reference.ts';
import { createPriceTags, type BoundsOf, type PriceBounds } from './price-tags.ts';
import { createSieve, type Demand } from './sieve.ts';
import { bestOf, pageOf } from './slot-page.ts';
import { createSlotOrder } from './slot-order.ts';
import { createPostings, createWords, posted } from './word-postings.ts';

/** Whether shoppers can buy it at all, whatever its stock. */
export const isPurchasable = ({ availableForPurchase, canPurchase }: ProductVariant): boolean =>
  availableForPurchase && canPurchase;

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

/** Of what so many products fit, pages are remembered until a product changes … */
const MANY = 1000;
/** … and so many of them. */
const MAX_REMEMBERED = 500;

/** More words than this are not looked at. */
const MAX_WORDS = 10;
const inName = 3;
const inSku = 2;
const elsewhere = 1;

/** The words of a product, each with what it counts most for. */
const wordsIn = ({ root, variants }: SoldProduct): ReadonlyMap<string, number> => {
  const words = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) if ((words.get(word) ?? 0) < weight) words.set(word, weight);
  };
  add(root.rootName, inName);
  for (const variant of variants) {
    if (!isPurchasable(variant)) continue;
    add(variant.sku, inSku);
    add(variant.name, elsewhere);
  }
  for (const tag of root.tags) add(tag, elsewhere);
  return words;
};

/** Where else a product is found, as keys. */
const placesOf = ({ root, variants }: SoldProduct): ReadonlySet<string> =>
  new Set([
    ...root.collectionIds.map((id) => `collection ${id}`),
    ...root.tags.map((tag) => `tag ${plainText(tag)}`),
    ...variants.filter(isPurchasable).flatMap(({ filterIds }) => filterIds.map((id) => `filter ${id}`)),
  ]);

const pricesOf = ({ variants }: SoldProduct): { readonly low: Minor; readonly high: Minor } => {
  let [low, high] = [Infinity, -Infinity];
  for (const variant of variants) {
    if (!isPurchasable(variant)) continue;
    low = Math.min(low, variant.price);
    high = Math.max(high, variant.price);
  }
  return { low, high };
};

const compareTexts = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/** Products in slots, with the orders in which they are listed. */
const createShelves = () => {
  const slots = new Map<string, number>();
  const products: (SoldProduct | undefined)[] = [];
  const names: string[] = [];
  const prices = createPriceTags();
  const free: number[] = [];
  const isThere = (slot: number): boolean => products[slot] !== undefined;
  const byName = (one: number, other: number): number =>
    compareTexts(names[one] ?? '', names[other] ?? '') || one - other;
  const byPrice = (one: number, other: number): number =>
    prices.lowest(one) - prices.lowest(other) || byName(one, other);
  const byAge = (one: number, other: number): number =>
    (products[other]?.since ?? 0) - (products[one]?.since ?? 0) || one - other;
  const orders = {
    name: createSlotOrder(byName, isThere),
    price: createSlotOrder(byPrice, isThere),
    newest: createSlotOrder(byAge, isThere),
  };
  const all = Object.values(orders);
  let isLaid = false;
  return {
    orders,
    /** Everything that has been put there so far gets its places: one by one that would take long. */
    lay: (): void => {
      for (const order of all) order.lay([...slots.values()]);
      isLaid = true;
    },
    products,
    slotOf: (id: string): number | undefined => slots.get(id),
    size: (): number => slots.size,
    /** Those of the slots, or of all, with a price between the bounds. */
    pricedBetween: (slots: readonly number[] | null, boundsOf: BoundsOf): readonly number[] =>
      prices.between(slots ?? orders.price.slots(), slots === null, boundsOf, (slot, bounds) => {
        const product = products[slot];
        return product !== undefined && fits(product, bounds);
      }),
    put: (product: SoldProduct): number => {
      const known = slots.get(product.id);
      const slot = known ?? free.pop() ?? products.length;
      const name = plainText(product.root.rootName);
      const { low, high } = pricesOf(product);
      const isElsewhere = known === undefined || names[slot] !== name || prices.lowest(slot) !== low;
      slots.set(product.id, slot);
      products[slot] = product;
      names[slot] = name;
      prices.put(slot, low, high, product.root.taxGroupId);
      // Only now: an order may sort it in at once.
      if (isElsewhere && isLaid) for (const order of all) order.change(slot);
      return slot;
    },
    remove: (id: string): void => {
      const slot = slots.get(id);
      if (slot === undefined) return;
      slots.delete(id);
      products[slot] = undefined;
      free.push(slot);
      for (const order of all) order.change(slot);
    },
  };
};

type Shelves = ReturnType<typeof createShelves>;

const hasOneOfEach = (variant: ProductVariant, groups: readonly (readonly string[])[]): boolean =>
  groups.every((group) => group.some((id) => variant.filterIds.includes(id)));

/** What cannot be told by postings: prices, and filters of several groups on one variant. */
const fits = (
  { variants }: SoldProduct,
  bounds: PriceBounds | undefined,
  filterGroups: ProductSearch['filterGroups'] = [],
): boolean =>
  variants.some(
    (variant) =>
      isPurchasable(variant) &&
      (bounds === undefined || (variant.price >= bounds.from && variant.price <= bounds.to)) &&
      hasOneOfEach(variant, filterGroups),
  );

const namedOf = (found: ReturnType<ReturnType<typeof createPostings>['get']>): Demand =>
  found === undefined ? [] : [{ posting: found, isWhole: false }];

/** Words and places by slot, kept as products change. */
const createIndex = (shelves: Shelves) => {
  const words = createWords();
  const places = createPostings();
  const types = createPostings();
  const note = (slot: number, before: SoldProduct | undefined, now: SoldProduct | undefined): void => {
    const wordsBefore = before ? wordsIn(before) : new Map<string, number>();
    const wordsNow = now ? wordsIn(now) : new Map<string, number>();
    for (const [word, weight] of wordsBefore)
      if (wordsNow.get(word) !== weight) words.remove(word, posted(slot, weight));
    for (const [word, weight] of wordsNow)
      if (wordsBefore.get(word) !== weight) words.add(word, posted(slot, weight));
    const [typeBefore, typeNow] = [before?.root.productTypeId, now?.root.productTypeId];
    if (typeBefore !== undefined && typeBefore !== typeNow) types.remove(typeBefore, posted(slot, elsewhere));
    if (typeNow !== undefined && typeBefore !== typeNow) types.add(typeNow, posted(slot, elsewhere));
    const placesBefore = before ? placesOf(before) : new Set<string>();
    const placesNow = now ? placesOf(now) : new Set<string>();
    for (const place of placesBefore.difference(placesNow)) places.remove(place, posted(slot, elsewhere));
    for (const place of placesNow.difference(placesBefore)) places.add(place, posted(slot, elsewhere));
  };
  const shown = (product: SoldProduct | undefined): SoldProduct | undefined =>
    product?.variants.some(isPurchasable) === true ? product : undefined;
  const take = (was: SoldProduct | undefined, is: SoldProduct | undefined): void => {
    const [before, now] = [shown(was), shown(is)];
    const slot = now ? shelves.put(now) : before && shelves.slotOf(before.id);
    if (slot === undefined) return;
    note(slot, before, now);
    if (before && !now) shelves.remove(before.id);
  };
  return { words, places, types, take };
};

/** A word that is looked for, and the types of products whose names it begins. */
interface WantedWord {
  readonly word: string;
  readonly typeIds: readonly string[];
}

/** Finds a page of what fits. */
const createFinder = (shelves: Shelves, index: ReturnType<typeof createIndex>, entities: EntityReference) => {
  const { words, places, types } = index;
  const sieve = createSieve();

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
    if (collectionId !== undefined) demands.push(namedOf(places.get(`collection ${collectionId}`)));
    if (productTypeId !== undefined) demands.push(namedOf(types.get(productTypeId)));
    if (tag !== undefined) demands.push(namedOf(places.get(`tag ${plainText(tag)}`)));
    for (const group of filterGroups)
      demands.push(group.flatMap((id) => namedOf(places.get(`filter ${id}`))));
    return demands;
  };

  const slotsFor = (asked: ProductSearch, wanted: readonly WantedWord[]): readonly number[] | null => {
    const demands = demandsOf(asked, wanted);
    const found = demands.length === 0 ? null : sieve.sift(demands, shelves.products.length);
    const { priceBounds, filterGroups = [] } = asked;
    const priced = priceBounds ? shelves.pricedBetween(found, priceBounds) : found;
    // One demand of variants is told by postings or prices; several are to be met by the same one.
    const isTold = filterGroups.length + (priceBounds ? 1 : 0) < 2;
    if (priced === null || isTold) return priced;
    return priced.filter((slot) => {
      const product = shelves.products[slot];
      return product !== undefined && fits(product, priceBounds?.(product.root.taxGroupId), filterGroups);
    });
  };

  const pageFor = (asked: ProductSearch, wanted: readonly WantedWord[]): FoundProducts => {
    const slots = slotsFor(asked, wanted);
    const { sort, skip, limit } = asked;
    const { name, price, newest } = shelves.orders;
    const isScored = sort === 'relevance' && slots !== null && wanted.length > 0;
    const order = sort === 'newest' ? newest : sort === 'price' || sort === '-price' ? price : name;
    const page = isScored
      ? bestOf(order, slots, sieve.scoreOf, skip, limit)
      : pageOf(order, slots, sort === '-price', skip, limit);
    return {
      products: page.flatMap((slot) => shelves.products[slot] ?? []),
      totalItems: slots === null ? shelves.size() : slots.length,
    };
  };

  return { wantedWords, pageFor };
};

/**
 * The products that shoppers can buy, by words, beginnings of words and whatever else they are listed by
 * (docs/rules/catalogue.md#products-for-shoppers). It follows the catalogue from here on.
 */
export const createProductSearch = (
  catalogue: CatalogueReference,
  entities: EntityReference,
  rememberFrom = MANY,
) => {
  const shelves = createShelves();
  const index = createIndex(shelves);
  const { wantedWords, pageFor } = createFinder(shelves, index, entities);
  for (const product of catalogue.products()) index.take(undefined, product);
  shelves.lay();
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
    countIn: (collectionId: string): number => index.places.get(`collection ${collectionId}`)?.length ?? 0,
    /** The product with this id or address, if shoppers can buy it. */
    product: (idOrUrl: string): SoldProduct | undefined => {
      const found = catalogue.product(idOrUrl) ?? catalogue.productAt(idOrUrl.toLowerCase());
      return found && shelves.slotOf(found.id) !== undefined ? found : undefined;
    },
  };
};
export type ProductSearcher = ReturnType<typeof createProductSearch>;
