import { mean, median, percent, spread, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import type { LoadResult, Work } from './load.ts';
import type { Stocked } from './stocked-shop.ts';

/** The first slice, whose figures are discarded, and the others. */
export interface SliceTimes {
  readonly firstMs: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

const quickTimes: SliceTimes = { firstMs: 1000, warmUpMs: 200, measureMs: 800 };
const usualTimes: SliceTimes = { firstMs: 4000, warmUpMs: 1000, measureMs: 3000 };

/** What shoppers do, and in which shop. */
export interface Loaded extends Pick<Stocked, 'shop' | 'load'> {
  readonly does: Work;
}

export interface ComparedLoads {
  readonly row: string;
  readonly work: string;
  /** How many shoppers at once. */
  readonly shoppers: number;
  /** What is measured, and what it is held against. */
  readonly measured: Loaded;
  readonly usual: Loaded;
  /** How the usual one is called. */
  readonly usualName: string;
  readonly reach: number;
  /** Default: long slices. */
  readonly times?: SliceTimes;
}

/** One load in turn with another. */
export const compareLoads = async (bench: Bench, compared: ComparedLoads): Promise<Figure> => {
  const { firstMs, warmUpMs, measureMs } = bench.isQuick ? quickTimes : (compared.times ?? usualTimes);
  const { row, work, shoppers, measured: one, usual: other, usualName, reach } = compared;
  const speed = async (
    { load, shop: { port }, does }: Loaded,
    from = warmUpMs,
    until = measureMs,
  ): Promise<number> => {
    const job = { kind: 'load', work: does, port, shoppers, warmUpMs: from, measureMs: until } as const;
    return (await load.run<LoadResult>(job)).perSecond;
  };
  for (const side of [other, one]) await speed(side, firstMs, 100);
  const shares: number[] = [];
  const speeds: number[] = [];
  for (let turn = 1; turn <= bench.runs; turn++) {
    // The usual one first and last: whatever drifts is the same for both.
    const before = await speed(other);
    const measured = [await speed(one), await speed(one)];
    const usual = mean([before, await speed(other)]);
    shares.push(mean(measured) / usual);
    speeds.push(mean(measured));
    bench.say(`${row}: ${turn} of ${bench.runs}: ${whole(mean(measured))} of ${whole(usual)} per second`);
  }
  return {
    work,
    measured: `${spread(shares, percent)} of ${usualName}: ${spread(speeds, whole)} /s`,
    reach: `at least ${percent(reach)}`,
    isReached: median(shares) >= reach,
  };
};

/** Adds to one shop in turn with another, by a crowd. */
export const compareAdds = (
  bench: Bench,
  {
    measured,
    usual,
    ...row
  }: Omit<ComparedLoads, 'measured' | 'usual' | 'shoppers'> & {
    readonly measured: Stocked;
    readonly usual: Stocked;
  },
): Promise<Figure> =>
  compareLoads(bench, {
    ...row,
    shoppers: 64,
    measured: { ...measured, does: 'add' },
    usual: { ...usual, does: 'add' },
  });
