import type { SortIndex } from './sort-index.ts';

/** So few are sorted; of more, those are picked that come first in the order. */
const FEW = 1000;

/** The slots from `skip` on, in an order. */
export const pageOf = (
  order: SortIndex,
  slots: readonly number[] | null,
  isDescending: boolean,
  skip: number,
  limit: number,
): readonly number[] => {
  const all = order.slots();
  if (slots !== null && slots.length <= FEW) {
    const sorted = slots.toSorted((one, other) => order.rankOf(one) - order.rankOf(other));
    return (isDescending ? sorted.reverse() : sorted).slice(skip, skip + limit);
  }
  const wanted =
    slots === null ? null : new Uint8Array(slots.reduce((most, slot) => Math.max(most, slot), 0) + 1);
  for (const slot of slots ?? []) if (wanted) wanted[slot] = 1;
  const page: number[] = [];
  let passed = 0;
  for (let place = 0; place < all.length && page.length < limit; place++) {
    const slot = all[isDescending ? all.length - 1 - place : place] ?? 0;
    if (wanted !== null && wanted[slot] !== 1) continue;
    if (wanted === null && passed === 0 && skip > 0) {
      place += skip - 1;
      passed = skip;
    } else if (passed++ >= skip) page.push(slot);
  }
  return page;
};

/** How many are better than this score, or as good and among the first of the order. */
export const passedBy = (
  order: SortIndex,
  slots: readonly number[],
  scoreOf: (slot: number) => number,
  score: number,
  first: number,
): number => {
  let passed = 0;
  for (const slot of slots) {
    const own = scoreOf(slot);
    if (own > score || (own === score && order.rankOf(slot) < first)) passed++;
  }
  return passed;
};

/** The best first, and in an order what is equally good. Null: all slots. Scores are whole numbers below `scores`. */
export const bestOf = (
  order: SortIndex,
  slots: readonly number[] | null,
  scoreOf: (slot: number) => number,
  scores: number,
  skip: number,
  limit: number,
): readonly number[] => {
  const all = slots ?? order.slots();
  const counts = new Uint32Array(scores);
  for (const slot of all) counts[scoreOf(slot)] = (counts[scoreOf(slot)] ?? 0) + 1;
  const page: number[] = [];
  let passed = 0;
  for (let score = scores - 1; score >= 0 && page.length < limit; score--) {
    const count = counts[score] ?? 0;
    const from = Math.max(0, skip - passed);
    passed += count;
    if (from >= count) continue;
    const some = all.filter((slot) => scoreOf(slot) === score);
    const left = limit - page.length;
    page.push(...(slots === null ? some.slice(from, from + left) : pageOf(order, some, false, from, left)));
  }
  return page;
};
