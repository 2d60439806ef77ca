import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { countersOf, type Counters } from './counters.ts';
import { median, milliseconds, whole, type Figure } from './figures.ts';
import type { LoadResult, PrepareResult, Work } from './load.ts';
import { residentMegabytes, threadCpuMilliseconds } from './machine.ts';
import {
  comparedText,
  inPairs,
  onBoth,
  ratiosOf,
  settingsOfBoth,
  type Both,
  type Comparison,
  type Side,
} from './pairs.ts';
import { startShop, untilSettled, type Shop } from './processes.ts';
import { startLoad, type Load } from './workers.ts';

/*
 * Both shops are up, and the load talks to one of them at a time, in short slices. A slice ends when its shop has come
 * to rest, so that the idle one takes nothing from the other.
 */

interface HttpRow {
  readonly work: Extract<Work, 'add' | 'get' | 'purchase'>;
  readonly shoppers: number;
  readonly title: string;
}

const rows = {
  add: { work: 'add', shoppers: 64, title: 'POST /basket/add, 64 shoppers' },
  quiet: { work: 'add', shoppers: 16, title: 'POST /basket/add, 16 shoppers' },
  get: { work: 'get', shoppers: 64, title: 'GET /basket, 64 shoppers' },
  purchase: { work: 'purchase', shoppers: 16, title: 'whole purchase, 16 shoppers' },
} as const satisfies Record<string, HttpRow>;

export type ComparedHttpRow = keyof typeof rows;

const FIRST_MS = 5000;
const WARM_UP_MS = 250;
const SAMPLE_MEMORY_EVERY_MS = 50;
const PREPARED_BASKETS = 2000;
const REACH = 0.97;

interface Slice extends Counters {
  readonly perSecond: number;
  readonly p99: number;
  readonly residentMegabytes: number | null;
  /** Of all threads, per request, with the work that follows the answers. */
  readonly cpuMs: number | null;
}

interface Stage {
  readonly shop: Shop;
  readonly load: Load;
}

/** Null where /proc does not tell. */
export const cpuMillisecondsOf = ({ pid }: Shop): number | null => {
  const threads = [...threadCpuMilliseconds(pid).values()];
  return threads.length === 0 ? null : threads.reduce((sum, ms) => sum + ms, 0);
};

const each = (before: number | null, after: number | null, requests: number): number | null =>
  before === null || after === null ? null : (after - before) / requests;

/** Each in one request. */
const countedIn = (before: Counters, after: Counters, requests: number): Counters => ({
  appends: each(before.appends, after.appends, requests),
  commits: each(before.commits, after.commits, requests),
  documents: each(before.documents, after.documents, requests),
});

const runSlice = async (
  { shop, load }: Stage,
  { work, shoppers }: HttpRow,
  measureMs: number,
): Promise<Slice> => {
  const cpuBefore = cpuMillisecondsOf(shop);
  const countersBefore = await countersOf(shop.port);
  let resident: number | null = null;
  const sample = setInterval(() => {
    const now = residentMegabytes(shop.pid);
    if (now !== null) resident = Math.max(resident ?? 0, now);
  }, SAMPLE_MEMORY_EVERY_MS);
  const job = { kind: 'load', work, port: shop.port, shoppers, warmUpMs: WARM_UP_MS, measureMs } as const;
  const { perSecond, p99, answered } = await load.run<LoadResult>(job).finally(() => clearInterval(sample));
  await untilSettled(shop.port);
  return {
    perSecond,
    p99,
    residentMegabytes: resident,
    cpuMs: each(cpuBefore, cpuMillisecondsOf(shop), answered),
    ...countedIn(countersBefore, await countersOf(shop.port), answered),
  };
};

const mean = (one: number, another: number): number => (one + another) / 2;
const meanKnown = (one: number | null, another: number | null): number | null =>
  one === null || another === null ? null : mean(one, another);

const joinSlices = (one: Slice, another: Slice): Slice => ({
  perSecond: mean(one.perSecond, another.perSecond),
  p99: mean(one.p99, another.p99),
  residentMegabytes: meanKnown(one.residentMegabytes, another.residentMegabytes),
  cpuMs: meanKnown(one.cpuMs, another.cpuMs),
  appends: meanKnown(one.appends, another.appends),
  commits: meanKnown(one.commits, another.commits),
  documents: meanKnown(one.documents, another.documents),
});

const startShopOf = ({ bench }: Comparison, { name, root }: Side, dataDir: string): Promise<Shop> => {
  mkdirSync(dataDir, { recursive: true });
  return startShop({
    root,
    core: bench.pinning?.server ?? null,
    dataDir,
    storeFile: bench.storeFile,
    outputFile: join(bench.folder, `${name}.log`),
    env: settingsOfBoth,
  });
};

const onStage = async <Result>(
  comparison: Comparison,
  side: Side,
  folder: string,
  act: (stage: Stage) => Promise<Result>,
): Promise<Result> => {
  const { bench } = comparison;
  const shop = await startShopOf(comparison, side, join(bench.folder, folder));
  const load = await startLoad(bench.pinning?.load ?? null, bench.productIds);
  try {
    return await act({ shop, load });
  } finally {
    await load.stop();
    await shop.stop();
  }
};

const micros = (ms: number): string => `${whole(ms * 1000)} µs`;
const twoDigits = (value: number): string => value.toFixed(2);

const figuresOf = (name: ComparedHttpRow, pairs: readonly Both<Slice>[]): Figure[] => {
  const { title } = rows[name];
  const printed = (work: string, measured: string): Figure => ({
    work,
    measured,
    reach: 'printed',
    isReached: null,
  });
  const rate = ({ perSecond }: Slice): number => perSecond;
  const first =
    name === 'quiet'
      ? printed(
          `${title}: p99`,
          comparedText(pairs, (slice) => slice.p99, milliseconds),
        )
      : {
          work: title,
          measured: comparedText(pairs, rate, (perSecond) => `${whole(perSecond)} /s`),
          reach: 'at least 97 %',
          isReached: median(ratiosOf(pairs, rate)) >= REACH,
        };
  return [
    first,
    printed(
      '… CPU a request',
      comparedText(pairs, (slice) => slice.cpuMs, micros),
    ),
    printed(
      '… appends a request',
      comparedText(pairs, (slice) => slice.appends, twoDigits),
    ),
    printed(
      '… commits of the read store a request',
      comparedText(pairs, (slice) => slice.commits, twoDigits),
    ),
    printed(
      '… documents written a request',
      comparedText(pairs, (slice) => slice.documents, twoDigits),
    ),
  ];
};

const showSlice = ({ perSecond, p99 }: Slice): string => `${whole(perSecond)} /s, p99 ${milliseconds(p99)}`;

const compareRow = async (
  comparison: Comparison,
  stages: Both<Stage>,
  name: ComparedHttpRow,
  sliceMs: number,
): Promise<Figure[]> => {
  const row = rows[name];
  await onBoth(comparison, async (side) => {
    const { shop, load } = stages[side.name];
    if (row.work === 'get')
      await load.run<PrepareResult>({ kind: 'prepare', port: shop.port, baskets: PREPARED_BASKETS });
    await runSlice(stages[side.name], row, FIRST_MS);
  });
  const pairs = await inPairs(comparison, {
    title: row.title,
    measure: (side) => runSlice(stages[side.name], row, sliceMs),
    join: joinSlices,
    show: showSlice,
  });
  return figuresOf(name, pairs);
};

/** Compares throughput, or the p99 of the quiet row, on two shops that are both up. */
export const compareHttp = (
  comparison: Comparison,
  names: readonly ComparedHttpRow[],
  sliceMs: number,
): Promise<Figure[]> =>
  onStage(comparison, comparison.sides.this, 'http-this', (mine) =>
    onStage(comparison, comparison.sides.other, 'http-other', async (other) => {
      const figures: Figure[] = [];
      for (const name of names)
        figures.push(...(await compareRow(comparison, { this: mine, other }, name, sliceMs)));
      return figures;
    }),
  );

const MEMORY_MS = 4000;

/** The most that a new shop has resident under adds, one process for each measurement. */
export const compareMemory = async (comparison: Comparison): Promise<Figure[]> => {
  let processes = 0;
  const read = (slice: Slice): number | null => slice.residentMegabytes;
  const pairs = await inPairs(comparison, {
    title: 'memory under adds',
    measure: (side) =>
      onStage(comparison, side, `memory-${++processes}`, (stage) => runSlice(stage, rows.add, MEMORY_MS)),
    show: (slice) => `${whole(read(slice) ?? NaN)} MB`,
  });
  return [
    {
      work: 'memory under adds, resident at most',
      measured: comparedText(pairs, read, (megabytes) => `${whole(megabytes)} MB`),
      reach: 'at most 103 %',
      isReached: median(ratiosOf(pairs, read)) <= 1.03,
    },
  ];
};
