import type { UpsellRecommendation } from '#entities/upsell-parts.ts';
import type { UpsellRule } from '#entities/upsell-rule.entity.ts';
import { compareRanked, type RankedProducts, type RankedProduct } from './ranked-products.ts';
import type { Reference, SellableVariant, SoldProduct } from './reference.ts';

type RankedSources = Pick<Reference, 'recommended' | 'catalogue'>;

export interface WantedProducts {
  readonly recommendation: UpsellRecommendation;
  /** By filter group: a product must have one of these values. */
  readonly demands: ReadonlyMap<string, ReadonlySet<string>>;
  /** The variant to suggest; undefined for none. */
  readonly take: (product: SoldProduct) => SellableVariant | undefined;
}

/** The most products examined for one rule. */
const MOST_LOOKED_AT = 1000;

interface Walk {
  readonly seed: number;
  /** Products that may still be examined over all rules. */
  readonly budget: { left: number };
}

interface Cursor {
  readonly take: WantedProducts['take'];
  readonly next: () => RankedProduct | undefined;
  head: RankedProduct | undefined;
}

const inOrder = (ranking: RankedProducts) => {
  let place = 0;
  return (): RankedProduct | undefined => ranking.at(place++);
};

const divisorOf = (one: number, other: number): number => (other === 0 ? one : divisorOf(other, one % other));

/** Every product once, in an order determined by the seed. */
const atRandom = (ranking: RankedProducts, seed: number) => {
  const size = ranking.size();
  let left = size;
  let place = size === 0 ? 0 : seed % size;
  let stride = 1 + (Math.imul(seed, 0x9e3779b1) >>> 0);
  while (size > 0 && divisorOf(stride, size) !== 1) stride++;
  return (): RankedProduct | undefined => {
    if (left-- <= 0) return undefined;
    place = (place + stride) % size;
    return ranking.at(place);
  };
};

const sizeOf = (ranked: readonly RankedProducts[]): number =>
  ranked.reduce((sum, ranking) => sum + ranking.size(), 0);

/** The smallest index list that contains everything the recommendation may take. */
const fewest = (
  { recommended }: RankedSources,
  { sortBy }: UpsellRule,
  { recommendation, demands }: WantedProducts,
): readonly RankedProducts[] => {
  const { recommendationType, ids } = recommendation;
  let ranked = recommended.ranked(recommendationType, ids, sortBy);
  for (const values of demands.values()) {
    const others = recommended.ranked('ProductFilters', [...values], sortBy);
    if (sizeOf(others) < sizeOf(ranked)) ranked = others;
  }
  return ranked;
};

/** Whose turn it is: the first in rank, or each in turn. */
const chosenOf = (cursors: readonly Cursor[], isRandom: boolean, turn: number): Cursor | undefined => {
  if (cursors.length < 2) return cursors[0];
  const open = cursors.filter(({ head }) => head !== undefined);
  if (isRandom) return open[turn % open.length];
  return open.reduce<Cursor | undefined>((best, cursor) => {
    if (best?.head === undefined || cursor.head === undefined) return best ?? cursor;
    return compareRanked(cursor.head, best.head) < 0 ? cursor : best;
  }, undefined);
};

/**
 * The products that a rule suggests, in its order and up to its limit, each by the first recommendation that takes it
 * (docs/rules/upsells.md#steps).
 */
export const walkRankedProducts = (
  sources: RankedSources,
  rule: UpsellRule,
  wanted: readonly WantedProducts[],
  { seed, budget }: Walk,
): readonly SellableVariant[] => {
  const isRandom = rule.sortBy === 'Random';
  const cursors = wanted.flatMap((one) =>
    fewest(sources, rule, one).map((ranking): Cursor => {
      const next = isRandom ? atRandom(ranking, seed) : inOrder(ranking);
      return { take: one.take, next, head: next() };
    }),
  );
  const taken = new Map<string, SellableVariant>();
  for (let turn = 0; turn < MOST_LOOKED_AT && taken.size < rule.maxProducts; turn++) {
    const cursor = chosenOf(cursors, isRandom, turn);
    if (cursor?.head === undefined || budget.left-- <= 0) break;
    const { id } = cursor.head;
    cursor.head = cursor.next();
    const product = taken.has(id) ? undefined : sources.catalogue.product(id);
    const found = product && cursor.take(product);
    if (found) taken.set(id, found);
  }
  return [...taken.values()];
};
