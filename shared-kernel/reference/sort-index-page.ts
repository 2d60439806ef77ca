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

/** The best first, and by name what is equally good. */
export const bestOf = (
  order: SortIndex,
  slots: readonly number[],
  scoreOf: (slot: number) => number,
  skip: number,
  limit: number,
): readonly number[] => {
  const counts = new Map<number, number>();
  for (const slot of slots) counts.set(scoreOf(slot), (counts.get(scoreOf(slot)) ?? 0) + 1);
  const page: number[] = [];
  let passed = 0;
  for (const [score, count] of [...counts].sort(([one], [other]) => other - one)) {
    const from = Math.max(0, skip - passed);
    if (from < count) {
      const some = slots.filter((slot) => scoreOf(slot) === score);
      page.push(...pageOf(order, some, false, from, limit - page.length));
    }
    passed += count;
    if (page.length >= limit) break;
  }
  return page;
};
