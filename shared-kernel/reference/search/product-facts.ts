import type { Minor } from '#values/money.ts';
import { createNumberLists } from './number-lists.ts';
import type { PriceBounds } from './price-index.ts';

/** What a variant is found by. Filters are numbers of places. */
export interface VariantFacts {
  readonly price: Minor;
  readonly isAvailable: boolean;
  readonly filters: readonly number[];
}

/** What one variant is to meet all of. */
export interface VariantDemand {
  /** Numbers of filters, of each group one at least. */
  readonly groups: readonly (readonly number[])[];
  readonly bounds: PriceBounds | null;
  readonly isInStock: boolean;
}

/** A price takes two numbers: how often this, and the rest. */
export const HIGH = 2 ** 32;
/**
 * So many numbers stand before the filters of a variant: how many filters there are, times two, and one more if it can
 * be had; then its price.
 */
export const HEAD = 3;

const hasOneOf = (memory: Uint32Array, from: number, to: number, group: readonly number[]): boolean => {
  for (let at = from; at < to; at++) if (group.includes(memory[at] ?? 0)) return true;
  return false;
};

// What a variant says, from its head on.
const filtersTo = (memory: Uint32Array, head: number): number => head + HEAD + ((memory[head] ?? 0) >>> 1);
const canBeHad = (memory: Uint32Array, head: number): boolean => ((memory[head] ?? 0) & 1) === 1;
const priceAt = (memory: Uint32Array, head: number): Minor =>
  (memory[head + 1] ?? 0) * HIGH + (memory[head + 2] ?? 0);
export const meetsDemand = (
  memory: Uint32Array,
  head: number,
  { groups, bounds, isInStock }: VariantDemand,
): boolean => {
  if (isInStock && !canBeHad(memory, head)) return false;
  if (bounds !== null) {
    const price = priceAt(memory, head);
    if (price < bounds.from || price > bounds.to) return false;
  }
  const to = filtersTo(memory, head);
  for (const group of groups) if (!hasOneOf(memory, head + HEAD, to, group)) return false;
  return true;
};

const createFlags = () => {
  let flags = new Uint8Array(1024);
  return {
    is: (place: number): boolean => flags[place] === 1,
    set: (place: number, isSet: boolean): void => {
      if (place >= flags.length) {
        const before = flags;
        flags = new Uint8Array(2 * (place + 1));
        flags.set(before);
      }
      flags[place] = isSet ? 1 : 0;
    },
  };
};

/**
 * What counting asks of products, by slot, in numbers: to go through a hundred thousand variants as objects would take
 * too long for a request. A list is the places of the product after their count, then its variants.
 */
export const createProductFacts = () => {
  const lists = createNumberLists();
  const available = createFlags();

  const firstVariant = (slot: number): number => {
    const start = lists.startOf(slot);
    return start + 1 + (lists.memory()[start] ?? 0);
  };
  const endOf = (slot: number): number => lists.startOf(slot) + lists.lengthOf(slot);

  return {
    put: (slot: number, places: readonly number[], variants: readonly VariantFacts[]): void => {
      const rows = variants.flatMap(({ price, isAvailable, filters }) => [
        filters.length * 2 + (isAvailable ? 1 : 0),
        Math.floor(price / HIGH),
        price % HIGH,
        ...filters,
      ]);
      lists.replace(slot, [places.length, ...places, ...rows]);
      available.set(
        slot,
        variants.some(({ isAvailable }) => isAvailable),
      );
    },
    remove: lists.clear,
    /** Whether any of its variants can be had. */
    isAvailable: available.is,
    /** A variant, by its place among those of its product, can be had or not any more. Whether that is new. */
    restock: (slot: number, place: number, isAvailable: boolean): boolean => {
      const memory = lists.memory();
      const end = endOf(slot);
      let [isNew, isAny, index] = [false, false, 0];
      for (let head = firstVariant(slot); head < end; head = filtersTo(memory, head)) {
        if (index++ === place && canBeHad(memory, head) !== isAvailable) {
          memory[head] = (memory[head] ?? 0) ^ 1;
          isNew = true;
        }
        isAny ||= canBeHad(memory, head);
      }
      available.set(slot, isAny);
      return isNew;
    },
    layout: lists.layout,
    meets: (slot: number, demand: VariantDemand): boolean => {
      const memory = lists.memory();
      const end = endOf(slot);
      for (let head = firstVariant(slot); head < end; head = filtersTo(memory, head))
        if (meetsDemand(memory, head, demand)) return true;
      return false;
    },
  };
};
export type ProductFacts = ReturnType<typeof createProductFacts>;
