import type { Minor } from '#values/money.ts';
import { HEAD, HIGH, meetsDemand, type ProductFacts, type VariantDemand } from './product-facts.ts';
import type { PriceIndex } from './price-index.ts';
import type { Postings } from './word-index.ts';

/** Prices of the store under one tax group. */
export interface PriceSpan {
  readonly taxGroupId: string | null;
  readonly low: Minor;
  readonly high: Minor;
}

type Counts = ReadonlyMap<string, number>;

/** What products have: how many of them are at each place, by kind, how many can be had, and their prices. */
export interface ProductCounts {
  readonly total: number;
  readonly available: number;
  readonly filters: Counts;
  readonly collections: Counts;
  readonly types: Counts;
  readonly tags: Counts;
  readonly prices: readonly PriceSpan[];
}

/** What a variant in a slot is to meet, in order to count; null: nothing. */
export type DemandIn = ((slot: number) => VariantDemand) | null;

/** What a pass counts into: products by place, and the last product that each place was counted for. */
interface Scratch {
  counts: Uint32Array;
  marks: Uint32Array;
  mark: number;
}

const MARKS = 2 ** 32 - 1;

const makeRoom = (scratch: Scratch, numbers: number, products: number): void => {
  if (scratch.counts.length < numbers) {
    scratch.counts = new Uint32Array(2 * numbers);
    scratch.marks = new Uint32Array(2 * numbers);
    scratch.mark = 0;
  }
  if (scratch.mark + products < MARKS) return;
  scratch.marks.fill(0);
  scratch.mark = 0;
};

/** Lowest and highest prices by the number of the tax group. */
interface Spans {
  readonly lows: Float64Array;
  readonly highs: Float64Array;
}

/**
 * Goes through products and returns how many of them can be had. All in one loop over numbers: it takes a quarter of
 * the time that it takes with a function for each step.
 */
const pass = (
  slots: readonly number[],
  { memory, starts, lengths }: ReturnType<ProductFacts['layout']>,
  groupOf: PriceIndex['groupOf'],
  demandIn: DemandIn,
  scratch: Scratch,
  { lows, highs }: Spans,
): number => {
  const { counts, marks } = scratch;
  let available = 0;
  let mark = scratch.mark;
  for (const slot of slots) {
    mark += 1;
    const group = groupOf(slot);
    const demand = demandIn === null ? null : demandIn(slot);
    let at = starts[slot] ?? 0;
    const end = at + (lengths[slot] ?? 0);
    const variants = at + 1 + (memory[at] ?? 0);
    for (at += 1; at < variants; at++) counts[memory[at] ?? 0] = (counts[memory[at] ?? 0] ?? 0) + 1;
    let isAvailable = 0;
    while (at < end) {
      const start = at;
      const head = memory[at] ?? 0;
      at += HEAD + (head >>> 1);
      if (demand !== null && !meetsDemand(memory, start, demand)) continue;
      isAvailable |= head & 1;
      const price = (memory[start + 1] ?? 0) * HIGH + (memory[start + 2] ?? 0);
      if (price < (lows[group] ?? 0)) lows[group] = price;
      if (price > (highs[group] ?? 0)) highs[group] = price;
      for (let place = start + HEAD; place < at; place++) {
        const filter = memory[place] ?? 0;
        if (marks[filter] === mark) continue;
        marks[filter] = mark;
        counts[filter] = (counts[filter] ?? 0) + 1;
      }
    }
    available += isAvailable;
  }
  scratch.mark = mark;
  return available;
};

/** What was counted, by kind and id; the counts begin again. */
const collected = ({ counts }: Scratch, places: Postings) => {
  const kinds: Record<string, Map<string, number>> = {};
  for (let place = 0; place < places.numbers(); place++) {
    const found = counts[place] ?? 0;
    if (found === 0) continue;
    const key = places.nameOf(place);
    const blank = key.indexOf(' ');
    (kinds[key.slice(0, blank)] ??= new Map()).set(key.slice(blank + 1), found);
    counts[place] = 0;
  }
  const { filter = new Map(), collection = new Map(), type = new Map(), tag = new Map() } = kinds;
  return { filters: filter, collections: collection, types: type, tags: tag };
};

/** Counts in one pass over what is found. A product counts once for each filter that any variant which counts has. */
export const createProductCounting = (facts: ProductFacts, places: Postings, prices: PriceIndex) => {
  const scratch: Scratch = { counts: new Uint32Array(0), marks: new Uint32Array(0), mark: 0 };
  return (slots: readonly number[], demandIn: DemandIn): ProductCounts => {
    makeRoom(scratch, places.numbers(), slots.length);
    const lows = new Float64Array(prices.groups.length).fill(Infinity);
    const highs = new Float64Array(prices.groups.length).fill(-Infinity);
    const available = pass(slots, facts.layout(), prices.groupOf, demandIn, scratch, { lows, highs });
    return {
      total: slots.length,
      available,
      ...collected(scratch, places),
      prices: prices.groups.flatMap((taxGroupId, index) => {
        const [low, high] = [lows[index] ?? Infinity, highs[index] ?? -Infinity];
        return low > high ? [] : [{ taxGroupId, low, high }];
      }),
    };
  };
};
