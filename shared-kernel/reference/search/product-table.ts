import type { Minor } from '#values/money.ts';
import { plainText } from '#values/words.ts';
import { isPurchasable } from '../availability.ts';
import type { SoldProduct } from '../reference.ts';
import { createPriceIndex } from './price-index.ts';
import { createSortIndex } from './sort-index.ts';

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

/** Its name as names are sorted, and its id. */
interface NamedProduct {
  readonly name: string;
  readonly id: string;
}

/** Products in slots, with the orders in which they are listed. */
export const createProductTable = () => {
  const slots = new Map<string, number>();
  const products: (SoldProduct | undefined)[] = [];
  const names: string[] = [];
  const prices = createPriceIndex();
  const free: number[] = [];
  const isThere = (slot: number): boolean => products[slot] !== undefined;
  const nameOf = (slot: number): string => names[slot] ?? '';
  const idOf = (slot: number): string => products[slot]?.id ?? '';
  /** Those of one name by their ids: alike in every process that has the same products. */
  const byName = (one: number, other: number): number =>
    compareTexts(nameOf(one), nameOf(other)) || compareTexts(idOf(one), idOf(other));
  const byPrice = (one: number, other: number): number =>
    prices.lowest(one) - prices.lowest(other) || byName(one, other);
  const byAge = (one: number, other: number): number =>
    (products[other]?.since ?? 0) - (products[one]?.since ?? 0) || one - other;
  const orders = {
    name: createSortIndex(byName, isThere),
    price: createSortIndex(byPrice, isThere),
    newest: createSortIndex(byAge, isThere),
  };
  const all = Object.values(orders);
  let isLaid = false;
  return {
    orders,
    prices,
    /** Everything that has been put there so far gets its places: one by one that would take long. */
    lay: (): void => {
      for (const order of all) order.lay([...slots.values()]);
      isLaid = true;
    },
    products,
    nameIn: (slot: number): NamedProduct => ({ name: nameOf(slot), id: idOf(slot) }),
    /** How many come up to here by name. */
    namesUpTo: (place: NamedProduct): number =>
      orders.name.countWhile(
        (slot) => (compareTexts(nameOf(slot), place.name) || compareTexts(idOf(slot), place.id)) <= 0,
      ),
    slotOf: (id: string): number | undefined => slots.get(id),
    size: (): number => slots.size,
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

export type ProductTable = ReturnType<typeof createProductTable>;
