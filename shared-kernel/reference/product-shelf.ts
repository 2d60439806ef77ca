/** A product in an order: first by rank, then by name, then by id. */
export interface ShelvedProduct {
  readonly id: string;
  readonly rank: number;
  readonly name: string;
}

const compareTexts = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

export const compareShelved = (one: ShelvedProduct, other: ShelvedProduct): number =>
  one.rank - other.rank || compareTexts(one.name, other.name) || compareTexts(one.id, other.id);

const isSame = (one: ShelvedProduct, other: ShelvedProduct): boolean =>
  one.rank === other.rank && one.name === other.name;

/** Products in an order. A change finds its place and moves the rest, which is one copy in memory. */
export const createProductShelf = (products: readonly ShelvedProduct[]) => {
  const ordered = products.toSorted(compareShelved);
  const known = new Map(ordered.map((product) => [product.id, product]));

  /** The place of a product, or the one that it would have. */
  const placeOf = (product: ShelvedProduct): number => {
    let low = 0;
    let high = ordered.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = ordered[middle];
      if (found !== undefined && compareShelved(found, product) < 0) low = middle + 1;
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
    at: (place: number): ShelvedProduct | undefined => ordered[place],
    put: (product: ShelvedProduct): void => {
      const before = known.get(product.id);
      if (before !== undefined && isSame(before, product)) return;
      remove(product.id);
      ordered.splice(placeOf(product), 0, product);
      known.set(product.id, product);
    },
    remove,
  };
};
export type ProductShelf = ReturnType<typeof createProductShelf>;
