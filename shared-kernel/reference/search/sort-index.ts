type Compare = (one: number, other: number) => number;

const MAX_PENDING = 2000;

const partitionOf = (order: readonly number[], isBefore: (slot: number) => boolean): number => {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(order[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
};

/**
 * Slots in an order, and the place of each in it. What has changed is sorted in when somebody asks, so that an import
 * pays for it now and then and not product by product.
 */
export const createSortIndex = (compare: Compare, isThere: (slot: number) => boolean) => {
  let order: number[] = [];
  let ranks = new Int32Array(0);
  const pending = new Set<number>();

  const settle = (): void => {
    if (pending.size === 0) return;
    const fresh = [...pending].filter(isThere).sort(compare);
    const kept = order.filter((slot) => !pending.has(slot));
    const next: number[] = [];
    let from = 0;
    for (const slot of fresh) {
      const to = partitionOf(kept, (one) => compare(one, slot) <= 0);
      for (; from < to; from++) next.push(kept[from] ?? 0);
      next.push(slot);
    }
    for (; from < kept.length; from++) next.push(kept[from] ?? 0);
    order = next;
    const highest = next.reduce((most, slot) => Math.max(most, slot), 0);
    if (ranks.length <= highest) ranks = new Int32Array((highest + 1) * 2);
    next.forEach((slot, rank) => (ranks[slot] = rank));
    pending.clear();
  };

  return {
    /** All slots that there are, at once: the first time. */
    lay: (slots: number[]): void => {
      order = slots.sort(compare);
      ranks = new Int32Array(2 * slots.reduce((most, slot) => Math.max(most, slot + 1), 0));
      order.forEach((slot, rank) => (ranks[slot] = rank));
    },
    /** It is new, gone, or has its place elsewhere. */
    change: (slot: number): void => {
      pending.add(slot);
      if (pending.size > MAX_PENDING) settle();
    },
    slots: (): readonly number[] => {
      settle();
      return order;
    },
    rankOf: (slot: number): number => ranks[slot] ?? 0,
    /** How many come before the first of which this is not true; it is true of none behind that. */
    countWhile: (isBefore: (slot: number) => boolean): number => {
      settle();
      return partitionOf(order, isBefore);
    },
  };
};
export type SortIndex = ReturnType<typeof createSortIndex>;
