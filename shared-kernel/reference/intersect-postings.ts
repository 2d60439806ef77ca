import { slotIn, weightIn, type FoundPosting } from './word-postings.ts';

/** What every product that is found has: some posting of each. */
export type Demand = readonly FoundPosting[];

/** Finds the slots that meet every demand, and what they score. Only the postings that are asked for are touched. */
export const createPostingIntersection = () => {
  let marks = new Uint32Array(0);
  let best = new Uint16Array(0);
  let scores = new Uint16Array(0);
  let mark = 0;
  const makeRoom = (size: number, steps: number): void => {
    if (marks.length < size) {
      marks = new Uint32Array(size * 2);
      best = new Uint16Array(size * 2);
      scores = new Uint16Array(size * 2);
      mark = 0;
    }
    if (mark + steps >= 0xffff_ffff) {
      marks.fill(0);
      mark = 0;
    }
  };
  const meet = (demand: Demand, isFirst: boolean): number[] => {
    const before = mark;
    mark += 1;
    const met: number[] = [];
    for (const { posting, isWhole } of demand) {
      for (const code of posting) {
        const slot = slotIn(code);
        const points = isWhole ? 2 * weightIn(code) : weightIn(code);
        if (marks[slot] === mark) best[slot] = Math.max(best[slot] ?? 0, points);
        else if (isFirst || marks[slot] === before) {
          scores[slot] = isFirst ? 0 : (scores[slot] ?? 0) + (best[slot] ?? 0);
          best[slot] = points;
          marks[slot] = mark;
          met.push(slot);
        }
      }
    }
    return met;
  };
  return {
    intersect: (demands: readonly Demand[], size: number): readonly number[] => {
      makeRoom(size, demands.length + 2);
      mark += 1;
      let met: number[] = [];
      const sizeOf = (demand: Demand): number => demand.reduce((sum, { posting }) => sum + posting.length, 0);
      const rarest = demands.toSorted((one, other) => sizeOf(one) - sizeOf(other));
      for (const [index, demand] of rarest.entries()) met = meet(demand, index === 0);
      return met;
    },
    scoreOf: (slot: number): number => (scores[slot] ?? 0) + (best[slot] ?? 0),
  };
};
