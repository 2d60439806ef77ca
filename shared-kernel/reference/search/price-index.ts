import type { Minor } from '#values/money.ts';

export interface PriceBounds {
  readonly from: Minor;
  readonly to: Minor;
}

/** Prices of the store that may be, by tax group. */
export type BoundsOf = (taxGroupId: string | null) => PriceBounds;

/** The lowest and the highest price in each slot, and the tax group that says what a price means. */
export const createPriceIndex = () => {
  const lowest: Minor[] = [];
  const highest: Minor[] = [];
  const groupIn: number[] = [];
  const groups: (string | null)[] = [];
  const groupNumber = (id: string | null): number => {
    const known = groups.indexOf(id);
    return known >= 0 ? known : groups.push(id) - 1;
  };
  return {
    lowest: (slot: number): Minor => lowest[slot] ?? 0,
    /** Tax groups by their number. */
    groups: groups as readonly (string | null)[],
    groupOf: (slot: number): number => groupIn[slot] ?? 0,
    put: (slot: number, low: Minor, high: Minor, taxGroupId: string | null): void => {
      lowest[slot] = low;
      highest[slot] = high;
      groupIn[slot] = groupNumber(taxGroupId);
    },
    /**
     * The slots with a price between the bounds, which come by the number of the tax group. `looksInside` is asked
     * where the lowest price is below and the highest above them. Slots that come by their lowest price are looked at
     * up to the first that is too dear.
     */
    between: (
      slots: readonly number[],
      isByPrice: boolean,
      bounds: readonly PriceBounds[],
      looksInside: (slot: number) => boolean,
    ): readonly number[] => {
      const dearest = Math.max(...bounds.map(({ to }) => to));
      const found: number[] = [];
      for (const slot of slots) {
        const low = lowest[slot] ?? 0;
        const high = highest[slot] ?? 0;
        const asked = bounds[groupIn[slot] ?? 0];
        if (isByPrice && low > dearest) break;
        if (asked === undefined || low > asked.to || high < asked.from) continue;
        if (low >= asked.from || high <= asked.to || looksInside(slot)) found.push(slot);
      }
      return found;
    },
  };
};
export type PriceIndex = ReturnType<typeof createPriceIndex>;
