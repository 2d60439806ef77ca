/** A product in an order: first by rank, then by name, then by id. */
export interface RankedProduct {
  readonly id: string;
  readonly rank: number;
  readonly name: string;
}

const compareTexts = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

export const compareRanked = (one: RankedProduct, other: RankedProduct): number =>
  one.rank - other.rank || compareTexts(one.name, other.name) || compareTexts(one.id, other.id);

const isSame = (one: RankedProduct, other: RankedProduct): boolean =>
  one.rank === other.rank && one.name === other.name;

/** Products in an order. A change finds its place and moves the rest, which is one copy in memory. */
export const createRankedProducts = (products: readonly RankedProduct[]) => {
  const ordered = products.toSorted(compareRanked);
  const known = new Map(ordered.map((product) => [product.id, product]));

  /** The place of a product, or the one that it would have. */
  const placeOf = (product: RankedProduct): number => {
    let low = 0;
    let high = ordered.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = ordered[middle];
      if (found !== undefined && compareRanked(found, product) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const remove = (id: string): void => {
    const product = known.get(id);
    if (product === undefined) return;
    known.delete(id);
    ordered.splice(placeOf(product), 1);
  };

  return {
    size: (): number => ordered.length,
    at: (place: number): RankedProduct | undefined => ordered[place],
    put: (product: RankedProduct): void => {
      const before = known.get(product.id);
      if (before !== undefined && isSame(before, product)) return;
      remove(product.id);
      ordered.splice(placeOf(product), 0, product);
      known.set(product.id, product);
    },
    remove,
  };
};
export type RankedProducts = ReturnType<typeof createRankedProducts>;
