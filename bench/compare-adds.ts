import { median, percent, spread, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import type { LoadResult } from './load.ts';
import type { Stocked } from './stocked-shop.ts';

const CROWD = 64;

const times = (isQuick: boolean) =>
  isQuick
    ? { firstMs: 1000, warmUpMs: 200, measureMs: 800 }
    : { firstMs: 4000, warmUpMs: 1000, measureMs: 3000 };

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export interface ComparedAdds {
  readonly row: string;
  readonly work: string;
  /** What is measured, and what it is held against. */
  readonly measured: Stocked;
  readonly usual: Stocked;
  /** How the usual one is called. */
  readonly usualName: string;
  readonly reach: number;
}

/** Adds to one shop in turn with another. */
export const compareAdds = async (bench: Bench, compared: ComparedAdds): Promise<Figure> => {
  const { firstMs, warmUpMs, measureMs } = times(bench.isQuick);
  const adds = async (
    { load, shop: { port } }: Stocked,
    from = warmUpMs,
    until = measureMs,
  ): Promise<number> => {
    const job = {
      kind: 'load',
      work: 'add',
      port,
      shoppers: CROWD,
      warmUpMs: from,
      measureMs: until,
    } as const;
    return (await load.run<LoadResult>(job)).perSecond;
  };
  const { row, work, measured: one, usual: other, usualName, reach } = compared;
  for (const shop of [other, one]) await adds(shop, firstMs, 100);
  const shares: number[] = [];
  const speeds: number[] = [];
  for (let turn = 1; turn <= bench.runs; turn++) {
    // The usual one first and last: whatever drifts is the same for both.
    const before = await adds(other);
    const measured = [await adds(one), await adds(one)];
    const usual = mean([before, await adds(other)]);
    shares.push(mean(measured) / usual);
    speeds.push(mean(measured));
    bench.say(
      `${row}: adds ${turn} of ${bench.runs}: ${whole(mean(measured))} of ${whole(usual)} per second`,
    );
  }
  return {
    work,
    measured: `${spread(shares, percent)} of ${usualName}: ${spread(speeds, whole)} /s`,
    reach: `at least ${percent(reach)}`,
    isReached: median(shares) >= reach,
  };
};
