/** A source of chance that a seed decides: the same seed, the same draws. Never for secrets. */
export interface Chance {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number;
  /** True with a probability from 0 to 1. */
  happens(probability: number): boolean;
  /** One of a list that is not empty. Throws RangeError for an empty one. */
  oneOf<Item>(items: readonly Item[]): Item;
}

/** Items and how often each comes compared with the others. */
export type Weighted<Item> = readonly (readonly [item: Item, weight: number])[];

/** 32 bits that any of the parts changes (FNV-1a over their JSON text). */
export const seedFrom = (...parts: readonly (string | number)[]): number => {
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify(parts)) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash >>> 0;
};

/** Mulberry32: 32 bits of state, evenly spread, the same on every machine. */
export const createChance = (seed: number): Chance => {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    whole: (low, high) => low + Math.floor(next() * (high - low + 1)),
    happens: (probability) => next() < probability,
    oneOf: (items) => {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new RangeError('nothing to choose from');
      return item;
    },
  };
};

/** Draws by weight, in logarithmic time. Throws RangeError without a positive weight. */
export const createLottery = <Item>(entries: Weighted<Item>): ((chance: Chance) => Item) => {
  const upTo: number[] = [];
  let sum = 0;
  for (const [, weight] of entries) upTo.push((sum += weight));
  if (!(sum > 0)) throw new RangeError('nothing to draw from');
  return (chance) => {
    const drawn = chance.next() * sum;
    let low = 0;
    let high = entries.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (drawn < (upTo[middle] ?? sum)) high = middle;
      else low = middle + 1;
    }
    return (entries[low] as readonly [Item, number])[0];
  };
};

/** A copy in another order. */
export const shuffled = <Item>(items: readonly Item[], chance: Chance): readonly Item[] => {
  const keyed = items.map((item) => [chance.next(), item] as const);
  return keyed.sort(([one], [other]) => one - other).map(([, item]) => item);
};
