import { slotIn, weightIn, type FoundPosting } from './word-index.ts';

/** What every product that is found has: some posting of each. */
export type Demand = readonly FoundPosting[];

/** Where a word is found counts first; then, whether it is the whole word. */
const pointsOf = (weight: number, isWhole: boolean): number => 2 * weight + (isWhole ? 1 : 0);

/** More than a demand can score. */
export const SCORE_OF_A_WORD = pointsOf(3, true) + 1;

const sizeOf = (demand: Demand): number => demand.reduce((sum, { from, to }) => sum + to - from, 0);

/** Finds the slots that meet every demand, and what they score. Only the postings that are asked for are touched. */
export const createPostingIntersection = () => {
  let marks = new Uint32Array(0);
  let best = new Uint16Array(0);
  let scores = new Uint16Array(0);
  let mark = 0;
  let lookedAt = 0;
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
    for (const { codes, from, to, isWhole } of demand) {
      for (let place = from; place < to; place++) {
        const code = codes[place] ?? 0;
        const slot = slotIn(code);
        const points = pointsOf(weightIn(code), isWhole);
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
      lookedAt = 0;
      let met: number[] = [];
      const rarest = demands.toSorted((one, other) => sizeOf(one) - sizeOf(other));
      for (const [index, demand] of rarest.entries()) {
        met = meet(demand, index === 0);
        lookedAt += sizeOf(demand);
        // The longest lists come last: they are not gone through for nothing.
        if (met.length === 0) break;
      }
      return met;
    },
    /** How many places the last intersection went through. */
    lookedAt: (): number => lookedAt,
    scoreOf: (slot: number): number => (scores[slot] ?? 0) + (best[slot] ?? 0),
  };
};
