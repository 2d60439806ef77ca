import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { backoffice } from './backoffice.ts';
import type { PreparedResponses } from './ceiling.ts';
import { compareAdds, type SliceTimes } from './compare-loads.ts';
import { mean, median, milliseconds, percent, seconds, spread, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import type { LoadResult, TwiceResult, Work } from './load.ts';
import { productsPath } from './shopper.ts';
import { stock, type Stocked } from './stocked-shop.ts';
import { catalogueStore, splittingStore, type BenchStore } from './store.ts';
import { startCeiling } from './workers.ts';

const FEW_VARIANTS = 1000;
const CROWD = 64;
const READERS = 16;
const ADDS_SHARE = 0.9;
const READ_SHARE = 0.35;
const READ_P99_MS = 20;
const FACETS_P95_MS = 20;
const READY_MS = 5000;
const MEMORY_MEGABYTES = 700;
const PAUSE_MS = 50;
/** Snapshots are kept once a minute where anything has changed. */
const UNTIL_KEPT_MS = 65_000;

export const times = (isQuick: boolean) =>
  isQuick
    ? { firstMs: 1000, warmUpMs: 200, measureMs: 800, untilKeptMs: 3000 }
    : { firstMs: 4000, warmUpMs: 1000, measureMs: 3000, untilKeptMs: UNTIL_KEPT_MS };

export const slice = (
  { load }: Pick<Stocked, 'load'>,
  { port }: { readonly port: number },
  work: Work,
  shoppers: number,
  { warmUpMs, measureMs }: { readonly warmUpMs: number; readonly measureMs: number },
): Promise<LoadResult> => load.run<LoadResult>({ kind: 'load', work, port, shoppers, warmUpMs, measureMs });

interface Looking {
  readonly work: string;
  readonly paths: readonly string[];
  /** Whether there is a share of bare Express to reach. */
  readonly isCompared: boolean;
  /** What most of them wait, in place of nearly all. */
  readonly isWithFacets?: boolean;
}

const sorts = ['name', 'price', '-price', 'newest'];
export const words = ['bench', 'benchmark product', 'small', 'large b', '12', '4711', 'things', 'bench-0042'];

const MOST_COLLECTIONS = 10;

/** What shoppers choose one after the other: hundreds of lists, few of which are asked for twice in a second. */
const facetsPaths = (filterIds: readonly string[]): readonly string[] =>
  filterIds.flatMap((filterId, index) => {
    const other = filterIds[(index * 17 + 5) % filterIds.length] ?? '';
    const collection = `collection-${index % MOST_COLLECTIONS}`;
    const word = words[index % words.length] ?? '';
    return [
      `&filter=${filterId}`,
      `&filter=${filterId}&filter=${other}&sort=price`,
      `&filter=${filterId}&collection=${collection}&page=2`,
      `&collection=${collection}&minPrice=${(index % 40) + 5}&maxPrice=${(index % 40) + 25}`,
      `&search=${encodeURIComponent(word)}&filter=${filterId}`,
      `&availableOnly=true&filter=${filterId}&sort=newest`,
    ].map((query) => `${productsPath}?facets=true${query}`);
  });

const lookings = (
  { productIds }: BenchStore,
  everywhere: readonly string[],
  filterIds: readonly string[],
): readonly Looking[] => [
  {
    work: 'GET /products, by order, page, collection and price',
    paths: sorts.flatMap((sort, index) => [
      `${productsPath}?sort=${sort}`,
      `${productsPath}?sort=${sort}&page=${3 + index}`,
      `${productsPath}?sort=${sort}&collection=collection-${index}`,
      `${productsPath}?sort=${sort}&minPrice=${10 * index + 5}&maxPrice=${10 * index + 25}`,
    ]),
    isCompared: false,
  },
  {
    work: 'GET /products?search=, by words and beginnings of words',
    paths: words.map((word) => `${productsPath}?search=${encodeURIComponent(word)}`),
    isCompared: false,
  },
  {
    work: 'GET /products?facets=true, by choices, words and prices',
    paths: facetsPaths(filterIds),
    isCompared: false,
    isWithFacets: true,
  },
  {
    work: 'GET /products/{url}',
    paths: Array.from({ length: 1000 }, (_, index) => {
      const number = Math.floor((index / 1000) * (productIds.length / 1.5));
      return `${productsPath}/benchmark-product-${String(number).padStart(4, '0')}`;
    }),
    isCompared: true,
  },
  {
    work: 'GET /products/{id}/availability, 5 warehouses',
    paths: everywhere.map((id) => `${productsPath}/${id}/availability?quantity=2&countryCode=GB`),
    isCompared: true,
  },
];

/** The share of bare Express that answers the same bytes. */
export const shareOfBare = async (
  bench: Bench,
  { shop, load }: Pick<Stocked, 'shop' | 'load'>,
  looking: Pick<Looking, 'work'>,
  look: readonly string[],
  length: SliceTimes = times(bench.isQuick),
) => {
  const answersFile = join(bench.folder, `look-${Date.now()}.json`);
  const answers: PreparedResponses = { add: [], get: [], look };
  writeFileSync(answersFile, JSON.stringify(answers));
  const ceiling = await startCeiling(bench.pinning?.server ?? null, answersFile);
  try {
    const shares: number[] = [];
    const speeds: number[] = [];
    await slice({ load }, ceiling, 'ceiling-look', CROWD, { warmUpMs: length.firstMs, measureMs: 100 });
    for (let turn = 1; turn <= bench.runs; turn++) {
      const bare = (await slice({ load }, ceiling, 'ceiling-look', CROWD, length)).perSecond;
      const { perSecond, driverCpu } = await slice({ load }, shop, 'look', CROWD, length);
      const again = (await slice({ load }, ceiling, 'ceiling-look', CROWD, length)).perSecond;
      shares.push(perSecond / mean([bare, again]));
      speeds.push(perSecond);
      bench.say(
        `${looking.work}: ${turn} of ${bench.runs}: ${whole(perSecond)} of ${whole(mean([bare, again]))} per second; the load used ${percent(driverCpu)} of a core`,
      );
    }
    return { shares, speeds };
  } finally {
    await ceiling.stop();
  }
};

const look = async (bench: Bench, large: Stocked, looking: Looking): Promise<Figure[]> => {
  const { shop, load } = large;
  const length = times(bench.isQuick);
  const answers = await load.run<readonly string[]>({
    kind: 'questions',
    port: shop.port,
    questions: looking.paths.map((path) => ({ path, telling: '"success":true' })),
  });
  await slice(large, shop, 'look', READERS, { warmUpMs: length.firstMs, measureMs: 100 });
  const [name, reach] = looking.isWithFacets
    ? (['p95', FACETS_P95_MS] as const)
    : (['p99', READ_P99_MS] as const);
  const waited: number[] = [];
  for (let turn = 1; turn <= bench.runs; turn++)
    waited.push((await slice(large, shop, 'look', READERS, length))[name]);
  const quiet: Figure = {
    work: `${looking.work}, ${READERS} readers: ${name}`,
    measured: spread(waited, milliseconds),
    reach: `under ${reach} ms`,
    isReached: median(waited) < reach,
  };
  if (!looking.isCompared) return [quiet];
  const { shares, speeds } = await shareOfBare(bench, large, looking, answers);
  const compared: Figure = {
    work: `the same with ${CROWD} readers`,
    measured: `${spread(shares, percent)} of bare Express with the same bytes: ${spread(speeds, whole)} /s`,
    reach: `at least ${percent(READ_SHARE)}`,
    isReached: median(shares) >= READ_SHARE,
  };
  return [quiet, compared];
};

const filterIdsOf = async (port: number): Promise<readonly string[]> => {
  const response = await fetch(`http://127.0.0.1:${port}${productsPath}?facets=filters`);
  const { facets } = (await response.json()) as {
    readonly facets: {
      readonly filterGroups: readonly { readonly filters: readonly { readonly id: string }[] }[];
    };
  };
  return facets.filterGroups.flatMap(({ filters }) => filters.map(({ id }) => id));
};

export const anyProduct = async (port: number): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${port}${productsPath}/benchmark-product-0000`);
  return ((await response.json()) as { readonly productRootId: string }).productRootId;
};

/** What the shop holds in memory, and for how long it answers nobody, while it sells and keeps a snapshot. */
const watchLoaded = async (bench: Bench, large: Stocked): Promise<Figure[]> => {
  const { measureMs, untilKeptMs } = times(bench.isQuick);
  const staff = backoffice(large.shop.port);
  const from = Date.now();
  await staff.renameProduct(await anyProduct(large.shop.port), 'Benchmark product renamed');
  await slice(large, large.shop, 'add', CROWD, { warmUpMs: 0, measureMs });
  const underLoad = large.noted(from);
  const kept = Date.now();
  bench.say(`catalogue: waiting ${seconds(untilKeptMs)} for a snapshot`);
  await pause(untilKeptMs);
  const { pauseMs } = large.noted(kept);
  const { megabytes } = large.noted(from);
  return [
    {
      work: 'memory under the add load and while a snapshot is kept',
      measured: `${whole(megabytes)} MB resident at most`,
      reach: `under ${MEMORY_MEGABYTES} MB`,
      isReached: megabytes < MEMORY_MEGABYTES,
    },
    {
      work: 'longest pause of the event loop while a snapshot is kept',
      measured: `${milliseconds(pauseMs)}; under the add load ${milliseconds(underLoad.pauseMs)}`,
      reach: `under ${PAUSE_MS} ms`,
      isReached: pauseMs < PAUSE_MS,
    },
  ];
};

/** A shop with many variants: what it sells and shows, and what it takes to run. */
export const measureCatalogue = async (bench: Bench, variants: number): Promise<Figure[]> => {
  const manyThings = catalogueStore(variants);
  const small = await stock(bench, 'small-catalogue', catalogueStore(FEW_VARIANTS));
  const large = await stock(bench, 'large-catalogue', manyThings);
  try {
    const ready = large.shop.readyAfterMs;
    const figures: Figure[] = [
      {
        work: `start to ready, ${whole(variants)} variants`,
        measured: seconds(ready),
        reach: `under ${seconds(READY_MS)}`,
        isReached: ready < READY_MS,
      },
    ];
    figures.push(
      await compareAdds(bench, {
        row: 'catalogue',
        work: 'POST /basket/add in the large shop, in turn with a small one',
        measured: large,
        usual: small,
        usualName: 'the small one',
        reach: ADDS_SHARE,
      }),
    );
    const filterIds = await filterIdsOf(large.shop.port);
    for (const looking of lookings(manyThings, manyThings.everywhere, filterIds))
      figures.push(...(await look(bench, large, looking)));
    figures.push(...(await watchLoaded(bench, large)));
    return figures;
  } finally {
    await small.stop();
    await large.stop();
  }
};

const QUOTED_LINES = 20;
const QUOTE_P95_MS = 15;

const p95 = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length * 0.95)] ?? NaN;

/** What one shopper waits for the shipping of a basket that is sent from everywhere. */
export const measureInitialize = async (bench: Bench): Promise<Figure[]> => {
  const { shop, load, stop } = await stock(bench, 'initialize', splittingStore(FEW_VARIANTS));
  try {
    const quote = (baskets: number): Promise<TwiceResult> =>
      load.run<TwiceResult>({ kind: 'quote', port: shop.port, baskets, lines: QUOTED_LINES });
    await quote(bench.isQuick ? 5 : 50);
    const runs: TwiceResult[] = [];
    for (let turn = 1; turn <= bench.runs; turn++) {
      runs.push(await quote(bench.isQuick ? 20 : 100));
      bench.say(`initialize: run ${turn} of ${bench.runs}`);
    }
    const first = runs.map((run) => p95(run.first));
    const again = runs.map((run) => p95(run.again));
    return [
      {
        work: `POST /checkout/initialize, ${QUOTED_LINES} lines, 10 warehouses, 200 options, one shopper: p95`,
        measured: `${spread(first, milliseconds)}; asked again ${spread(again, milliseconds)}`,
        reach: `under ${QUOTE_P95_MS} ms`,
        isReached: median(first) < QUOTE_P95_MS,
      },
    ];
  } finally {
    await stop();
  }
};
