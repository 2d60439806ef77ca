import type { ProductSort } from '#values/product-sort.ts';
import type { SoldProduct } from '../reference.ts';
import { createPostingIntersection, SCORE_OF_A_WORD, type Demand } from './intersect-postings.ts';
import type { PriceBounds } from './price-index.ts';
import type { VariantDemand } from './product-facts.ts';
import { collectionKey, filterKey, tagKey, typeKey, type ProductIndex } from './product-index.ts';
import type { ProductTable } from './product-table.ts';
import { bestOf, pageOf, passedBy } from './sort-index-page.ts';
import type { WantedWord, WordSearch } from './wanted-words.ts';

/** What products are asked for, with what words and prices come to. */
export interface Conditions {
  readonly wanted: readonly WantedWord[];
  readonly collectionId?: string | undefined;
  readonly productTypeId?: string | undefined;
  readonly tag?: string | undefined;
  readonly categoryIds?: readonly string[] | undefined;
  readonly filterGroups: readonly (readonly string[])[];
  /** By the number of the tax group. */
  readonly bounds: readonly PriceBounds[] | null;
  readonly availableOnly: boolean;
}

export interface PageAsked {
  readonly sort: ProductSort;
  readonly skip: number;
  readonly limit: number;
  /** By relevance only: what comes behind this place, in place of `skip`. */
  readonly after?: RelevancePlace | undefined;
}

/** A place in the order of relevance, also of a product that has moved or gone since. */
export interface RelevancePlace {
  readonly score: number;
  /** As names are sorted. */
  readonly name: string;
  readonly id: string;
}

export interface FoundProducts {
  readonly products: readonly SoldProduct[];
  readonly totalItems: number;
  /** By relevance: where the next page begins; null behind the last product. */
  readonly next: RelevancePlace | null;
}

/** Of a collection, a type, a tag and categories. */
const OTHER_DEMANDS = 4;

/** So few are sorted; more are marked and gone through. */
const FEW = 1000;

/** Slots in their own order; null: all. */
const inOrder = (slots: readonly number[] | null, { products }: ProductTable): readonly number[] => {
  if (slots !== null && slots.length <= FEW) return slots.toSorted((one, other) => one - other);
  const isMeant = new Uint8Array(products.length);
  for (const slot of slots ?? []) isMeant[slot] = 1;
  const ordered: number[] = [];
  for (let slot = 0; slot < products.length; slot++)
    if (slots === null ? products[slot] !== undefined : isMeant[slot] === 1) ordered.push(slot);
  return ordered;
};

/** What products and their variants are to meet. */
const createDemands = (
  { prices }: ProductTable,
  { places }: ProductIndex,
  { demandOf }: Pick<WordSearch, 'demandOf'>,
) => {
  const at = (key: string): Demand => {
    const found = places.get(key);
    return found ? [{ ...found, isWhole: false }] : [];
  };
  return {
    demandsOf: (asked: Conditions): readonly Demand[] => [
      ...asked.wanted.map(demandOf),
      ...(asked.collectionId === undefined ? [] : [at(collectionKey(asked.collectionId))]),
      ...(asked.productTypeId === undefined ? [] : [at(typeKey(asked.productTypeId))]),
      ...(asked.tag === undefined ? [] : [at(tagKey(asked.tag))]),
      ...(asked.categoryIds === undefined
        ? []
        : [asked.categoryIds.flatMap((id) => [...at(collectionKey(id)), ...at(typeKey(id))])]),
      ...asked.filterGroups.map((group) => group.flatMap((id) => at(filterKey(id)))),
    ],
    /** What one variant of the product in a slot is to meet. */
    variantDemands: ({
      filterGroups,
      bounds,
      availableOnly,
    }: Conditions): ((slot: number) => VariantDemand) => {
      const groups = filterGroups.map((ids) => ids.flatMap((id) => places.numberOf(filterKey(id)) ?? []));
      if (bounds === null) {
        const demand = { groups, bounds: null, isInStock: availableOnly };
        return () => demand;
      }
      const demands = bounds.map((one) => ({ groups, bounds: one, isInStock: availableOnly }));
      const never = { groups, bounds: { from: 1, to: 0 }, isInStock: availableOnly };
      return (slot) => demands[prices.groupOf(slot)] ?? never;
    },
  };
};

/** Finds the slots that meet conditions. */
const createSlotSearch = (table: ProductTable, index: ProductIndex, words: Pick<WordSearch, 'demandOf'>) => {
  const { facts } = index;
  const { demandsOf, variantDemands } = createDemands(table, index, words);
  const intersection = createPostingIntersection();
  let effort = 0;

  /** Null: all. */
  const slotsFor = (asked: Conditions): readonly number[] | null => {
    const { bounds, availableOnly, filterGroups } = asked;
    const demands = demandsOf(asked);
    const found = demands.length === 0 ? null : intersection.intersect(demands, table.products.length);
    effort = found === null ? table.size() : intersection.lookedAt();
    const demandIn = variantDemands(asked);
    const meets = (slot: number): boolean => facts.meets(slot, demandIn(slot));
    const priced =
      bounds === null
        ? found
        : table.prices.between(found ?? table.orders.price.slots(), found === null, bounds, meets);
    // One demand of variants is told without looking at them; several are to be met by the same one.
    const isTold = filterGroups.length + (bounds ? 1 : 0) + (availableOnly ? 1 : 0) < 2;
    if (!isTold) return (priced ?? []).filter(meets);
    return availableOnly ? (priced ?? table.orders.name.slots()).filter(facts.isAvailable) : priced;
  };

  return {
    slotsFor,
    /** How well a slot that was found last meets its words. */
    scoreOf: (slot: number): number => intersection.scoreOf(slot),
    /** How many places were gone through for what was found last, about. */
    effort: (): number => effort,
    variantDemands,
  };
};

/** Finds a page of the slots that meet conditions. */
export const createFinder = (
  table: ProductTable,
  index: ProductIndex,
  words: Pick<WordSearch, 'demandOf'>,
) => {
  const { facts } = index;
  const search = createSlotSearch(table, index, words);
  const { slotsFor, effort, variantDemands } = search;

  const productsIn = (page: readonly number[]): readonly SoldProduct[] =>
    page.flatMap((slot) => table.products[slot] ?? []);

  const bestFor = (asked: Conditions, { skip, limit, after }: Omit<PageAsked, 'sort'>): FoundProducts => {
    const slots = slotsFor(asked);
    const { name } = table.orders;
    const wordCount = asked.wanted.length;
    const scores = SCORE_OF_A_WORD * (wordCount + OTHER_DEMANDS + asked.filterGroups.length);
    const scoreOf = (slot: number): number =>
      (facts.isAvailable(slot) ? scores : 0) + (wordCount === 0 ? 0 : search.scoreOf(slot));
    const all = slots ?? name.slots();
    const passed = after ? passedBy(name, all, scoreOf, after.score, table.namesUpTo(after)) : skip;
    const page = bestOf(name, slots, scoreOf, 2 * scores, passed, limit);
    const last = page.at(-1);
    const isEnd = last === undefined || passed + page.length >= all.length;
    return {
      products: productsIn(page),
      totalItems: all.length,
      next: isEnd ? null : { score: scoreOf(last), ...table.nameIn(last) },
    };
  };

  const pageFor = (asked: Conditions, page: PageAsked): FoundProducts => {
    const { sort, skip, limit } = page;
    if (sort === 'relevance') return bestFor(asked, page);
    const slots = slotsFor(asked);
    const { name, price, newest } = table.orders;
    const order = sort === 'newest' ? newest : sort === 'name' ? name : price;
    return {
      products: productsIn(pageOf(order, slots, sort === '-price', skip, limit)),
      totalItems: slots === null ? table.size() : slots.length,
      next: null,
    };
  };

  return {
    pageFor,
    effort,
    /** The slots in their own order, which is that of what is kept about them. */
    slotsOf: (asked: Conditions): readonly number[] => inOrder(slotsFor(asked), table),
    variantDemands,
  };
};
export type Finder = ReturnType<typeof createFinder>;
