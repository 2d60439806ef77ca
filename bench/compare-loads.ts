import { mean, median, milliseconds, percent, spread, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import type { LoadResult, Work } from './load.ts';
import { cpuMilliseconds } from './machine.ts';
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

/** Slices of one load: how fast each was, and what all of them together cost the shop. */
const createSlices = (shop: Stocked['shop'], slice: () => Promise<LoadResult>) => {
  let spent = 0;
  let answered = 0;
  return {
    speed: async (): Promise<number> => {
      const before = cpuMilliseconds(shop.pid);
      const result = await slice();
      spent += cpuMilliseconds(shop.pid) - before;
      answered += result.answered;
      return result.perSecond;
    },
    /** CPU time of all threads of the process for each answer: machines that others use share out time unevenly. */
    cpuEach: (): string => milliseconds(spent / answered),
  };
};

/** One load in turn with another. */
export const compareLoads = async (bench: Bench, compared: ComparedLoads): Promise<Figure> => {
  const { firstMs, warmUpMs, measureMs } = bench.isQuick ? quickTimes : (compared.times ?? usualTimes);
  const { row, work, shoppers, measured: one, usual: other, usualName, reach } = compared;
  const run = ({ load, shop: { port }, does }: Loaded, from: number, until: number): Promise<LoadResult> =>
    load.run({ kind: 'load', work: does, port, shoppers, warmUpMs: from, measureMs: until });
  for (const side of [other, one]) await run(side, firstMs, 100);
  const ones = createSlices(one.shop, () => run(one, warmUpMs, measureMs));
  const others = createSlices(other.shop, () => run(other, warmUpMs, measureMs));
  const shares: number[] = [];
  const speeds: number[] = [];
  for (let turn = 1; turn <= bench.runs; turn++) {
    // The usual one first and last: whatever drifts is the same for both.
    const before = await others.speed();
    const measured = [await ones.speed(), await ones.speed()];
    const usual = mean([before, await others.speed()]);
    shares.push(mean(measured) / usual);
    speeds.push(mean(measured));
    bench.say(`${row}: ${turn} of ${bench.runs}: ${whole(mean(measured))} of ${whole(usual)} per second`);
  }
  return {
    work,
    measured:
      `${spread(shares, percent)} of ${usualName}: ${spread(speeds, whole)} /s; ` +
      `CPU each: ${ones.cpuEach()}, of the other ${others.cpuEach()}`,
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
