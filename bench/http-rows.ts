import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countersOf } from './counters.ts';
import { mean, median, milliseconds, percent, spread, whole, type Figure } from './figures.ts';
import type { PreparedResponses } from './ceiling.ts';
import type { LoadResult, PrepareResult, Work } from './load.ts';
import { filesIn, residentMegabytes, threadCpuMilliseconds, type Pinning } from './machine.ts';
import { demoGoods } from './store.ts';
import { startShop, type Shop } from './processes.ts';
import { selfTimes } from './profile.ts';
import { startCeiling, startLoad, type Ceiling, type Load } from './workers.ts';

/** What every row is given. */
export interface Bench {
  /** An empty folder, removed at the end. */
  readonly folder: string;
  readonly storeFile: string;
  readonly productIds: readonly string[];
  readonly pinning: Pinning | null;
  readonly runs: number;
  readonly isQuick: boolean;
  readonly say: (line: string) => void;
  /** Says a figure as soon as it is measured. */
  readonly tell: (figure: Figure) => void;
}

interface HttpRow {
  readonly name: string;
  readonly shoppers: number;
  readonly work: Work;
  /** The purchase is measured against the ceiling of an add. */
  readonly ceiling: Work;
  /** Baskets that lie ready before it begins. */
  readonly baskets: number;
}

export const rows = {
  add: { name: 'POST /basket/add', shoppers: 64, work: 'add', ceiling: 'ceiling-add', baskets: 50 },
  get: { name: 'GET /basket', shoppers: 64, work: 'get', ceiling: 'ceiling-get', baskets: 2000 },
  upsells: { name: 'GET /upsells', shoppers: 64, work: 'suggest', ceiling: 'ceiling-suggest', baskets: 2000 },
  purchase: { name: 'purchase', shoppers: 16, work: 'purchase', ceiling: 'ceiling-add', baskets: 50 },
} as const satisfies Record<string, HttpRow>;

export type HttpRowName = keyof typeof rows;

/** Shoppers for the ceiling: always the crowd that saturates it. */
const CEILING_SHOPPERS = 64;
const QUIET_SHOPPERS = 16;
const SAMPLE_MEMORY_EVERY_MS = 200;
const PROFILED_FUNCTIONS = 15;

export const times = (isQuick: boolean) =>
  isQuick
    ? { firstMs: 1000, warmUpMs: 200, measureMs: 800, profileMs: 3000 }
    : { firstMs: 4000, warmUpMs: 1000, measureMs: 3000, profileMs: 10_000 };

/** The processes of one row. */
export interface Stage {
  readonly shop: Shop;
  readonly load: Load;
  readonly ceiling: Ceiling;
  readonly dataDir: string;
  /** What the shop answers, and the ceiling with it. */
  readonly answers: PreparedResponses;
}

export const onStage = async <Result>(
  bench: Bench,
  row: HttpRow,
  nodeOptions: readonly string[],
  act: (stage: Stage) => Promise<Result>,
): Promise<Result> => {
  const { folder, pinning } = bench;
  const { storeFile, productIds } = row.work === 'suggest' ? demoGoods() : bench;
  const dataDir = join(folder, `${row.work}-${Date.now()}`);
  mkdirSync(dataDir, { recursive: true });
  const server = pinning?.server ?? null;
  const outputFile = join(dataDir, 'shop.log');
  const shop = await startShop({ core: server, dataDir, storeFile, outputFile, nodeOptions });
  const load = await startLoad(pinning?.load ?? null, productIds);
  let ceiling: Ceiling | null = null;
  try {
    const isSuggested = row.work === 'suggest';
    const job = { kind: 'prepare', port: shop.port, baskets: row.baskets, isSuggested } as const;
    const { addResponses, getResponses, suggestResponses } = await load.run<PrepareResult>(job);
    const answers: PreparedResponses = { add: addResponses, get: getResponses, suggest: suggestResponses };
    const answersFile = join(dataDir, 'answers.json');
    writeFileSync(answersFile, JSON.stringify(answers));
    ceiling = await startCeiling(server, answersFile);
    return await act({ shop, load, ceiling, dataDir, answers });
  } finally {
    await load.stop();
    await ceiling?.stop();
    await shop.stop();
  }
};

/** One run: ceiling, row, ceiling, row, so that both see the same machine. */
interface Run {
  readonly ceilingPerSecond: number;
  readonly perSecond: number;
  readonly share: number;
  readonly p50: number;
  readonly p99: number;
  /** With 16 shoppers; NaN where the row does not ask for it. */
  readonly quietP99: number;
  readonly residentMegabytes: number;
  readonly driverCpu: number;
  /** Of the read store, for each request of the row. */
  readonly appends: number;
  readonly commits: number;
  readonly documents: number;
}

const measureRuns = async (bench: Bench, row: HttpRow, { shop, load, ceiling }: Stage): Promise<Run[]> => {
  const { firstMs, warmUpMs, measureMs } = times(bench.isQuick);
  const slice = (work: Work, shoppers: number, from: number, until: number): Promise<LoadResult> => {
    const port = work.startsWith('ceiling') ? ceiling.port : shop.port;
    return load.run({ kind: 'load', work, port, shoppers, warmUpMs: from, measureMs: until });
  };
  await slice(row.ceiling, CEILING_SHOPPERS, firstMs, 100);
  await slice(row.work, row.shoppers, firstMs, 100);
  let resident = 0;
  const sample = setInterval(() => {
    resident = Math.max(resident, residentMegabytes(shop.pid) ?? NaN);
  }, SAMPLE_MEMORY_EVERY_MS);
  const runs: Run[] = [];
  const counted = async () => {
    const { appends, commits, documents } = await countersOf(shop.port);
    return { appends: appends ?? NaN, commits: commits ?? NaN, documents: documents ?? NaN };
  };
  for (let turn = 1; turn <= bench.runs; turn++) {
    const ceilings: LoadResult[] = [];
    const measured: LoadResult[] = [];
    const before = await counted();
    for (let again = 0; again < 2; again++) {
      ceilings.push(await slice(row.ceiling, CEILING_SHOPPERS, warmUpMs, measureMs));
      measured.push(await slice(row.work, row.shoppers, warmUpMs, measureMs));
    }
    const after = await counted();
    const answered = measured.reduce((sum, one) => sum + one.answered, 0);
    const quiet = row.work === 'add' ? await slice('add', QUIET_SHOPPERS, warmUpMs, measureMs) : null;
    const ceilingPerSecond = mean(ceilings.map((one) => one.perSecond));
    const perSecond = mean(measured.map((one) => one.perSecond));
    runs.push({
      ceilingPerSecond,
      perSecond,
      share: perSecond / ceilingPerSecond,
      p50: mean(measured.map((one) => one.p50)),
      p99: Math.max(...measured.map((one) => one.p99)),
      quietP99: quiet?.p99 ?? NaN,
      residentMegabytes: resident,
      appends: (after.appends - before.appends) / answered,
      commits: (after.commits - before.commits) / answered,
      documents: (after.documents - before.documents) / answered,
      driverCpu: Math.max(...[...ceilings, ...measured].map((one) => one.driverCpu)),
    });
    resident = 0;
    const busy = percent(Math.max(...runs.map((run) => run.driverCpu)));
    bench.say(
      `${row.name}: run ${turn} of ${bench.runs}: ${whole(perSecond)} of ${whole(ceilingPerSecond)} per second; the load used ${busy} of a core`,
    );
  }
  clearInterval(sample);
  return runs;
};

const shareOf = (runs: readonly Run[]): number => median(runs.map((run) => run.share));

const throughput = (runs: readonly Run[]): string =>
  `${spread(
    runs.map((run) => run.share),
    percent,
  )} of the ceiling: ${spread(
    runs.map((run) => run.perSecond),
    whole,
  )} of ${spread(
    runs.map((run) => run.ceilingPerSecond),
    whole,
  )} /s, p50 ${milliseconds(median(runs.map((run) => run.p50)))}, p99 ${milliseconds(median(runs.map((run) => run.p99)))}`;

const MEMORY_MEGABYTES = 350;
const QUIET_P99_MS = 60;

const addFigures = (runs: readonly Run[], productCount: number): Figure[] => {
  const quiet = runs.map((run) => run.quietP99);
  const resident = runs.map((run) => run.residentMegabytes);
  return [
    {
      work: 'POST /basket/add, durable, 64 shoppers, baskets of 1 to 5 lines',
      measured: throughput(runs),
      reach: 'at least 35 %',
      isReached: shareOf(runs) >= 0.35,
    },
    {
      work: 'the same with 16 shoppers: p99',
      measured: spread(quiet, milliseconds),
      reach: `under ${QUIET_P99_MS} ms`,
      isReached: median(quiet) < QUIET_P99_MS,
    },
    {
      work: `memory under the add load, ${whole(productCount)} products`,
      measured: `${spread(resident, whole)} MB resident at most`,
      reach: `under ${MEMORY_MEGABYTES} MB`,
      isReached: median(resident) < MEMORY_MEGABYTES,
    },
  ];
};

const PURCHASES_PER_SECOND = 250;
const PURCHASE_APPENDS = 15;
const PURCHASE_COMMITS = 0.1;
const PURCHASE_DOCUMENTS = 13;

const purchaseFigures = (runs: readonly Run[]): Figure[] => [
  {
    work: 'whole purchase (3 adds, addresses, initialize, shipping, pay, charged), 16 shoppers',
    measured: throughput(runs),
    reach: "at least 4 % of the add's ceiling",
    isReached: shareOf(runs) >= 0.04,
  },
  {
    work: 'the same, purchases per second',
    measured: `${spread(
      runs.map((run) => run.perSecond),
      whole,
    )} /s`,
    reach: `at least ${PURCHASES_PER_SECOND} /s on a quiet core`,
    isReached: median(runs.map((run) => run.perSecond)) >= PURCHASES_PER_SECOND,
  },
  {
    work: 'the same, appends to the log a purchase',
    measured: spread(
      runs.map((run) => run.appends),
      (count) => count.toFixed(2),
    ),
    reach: `at most ${PURCHASE_APPENDS}`,
    isReached: median(runs.map((run) => run.appends)) <= PURCHASE_APPENDS,
  },
  {
    work: 'the same, read store: commits a purchase; documents and checkpoints written a purchase',
    measured: [runs.map((run) => run.commits), runs.map((run) => run.documents)]
      .map((counts) => spread(counts, (count) => count.toFixed(2)))
      .join('; '),
    reach: `at most ${PURCHASE_COMMITS}; ${PURCHASE_DOCUMENTS}`,
    isReached:
      median(runs.map((run) => run.commits)) <= PURCHASE_COMMITS &&
      median(runs.map((run) => run.documents)) <= PURCHASE_DOCUMENTS,
  },
];

const getFigures = (runs: readonly Run[]): Figure[] => [
  {
    work: 'GET /basket, 64 shoppers, baskets of 1 to 5 lines',
    measured: throughput(runs),
    reach: 'at least 40 %',
    isReached: shareOf(runs) >= 0.4,
  },
];

const upsellFigures = (runs: readonly Run[]): Figure[] => [
  {
    work: "GET /upsells, the demo store's ten rules, 64 shoppers, baskets of 1 to 5 lines",
    measured: throughput(runs),
    reach: 'at least 10 %',
    isReached: shareOf(runs) >= 0.1,
  },
];

/** Measures a row against its ceiling. */
export const measureHttpRow = async (
  bench: Bench,
  name: HttpRowName,
  productCount: number,
): Promise<Figure[]> => {
  const row = rows[name];
  bench.say(`${row.name}: starting shop, load and ceiling`);
  const runs = await onStage(bench, row, [], (stage) => measureRuns(bench, row, stage));
  switch (name) {
    case 'add':
      return addFigures(runs, productCount);
    case 'get':
      return getFigures(runs);
    case 'upsells':
      return upsellFigures(runs);
    case 'purchase':
      return purchaseFigures(runs);
  }
};

/** The threads that did anything worth mentioning, and what a request cost each. */
const busyThreads = (
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  requests: number,
): readonly string[] =>
  [...after]
    .map(([name, ms]) => ({ name, ms: ms - (before.get(name) ?? 0) }))
    .filter(({ ms }) => ms >= 100)
    .sort((one, other) => other.ms - one.ms)
    .map(({ name, ms }) => `${name}: ${whole(ms)} ms, ${whole((ms * 1000) / requests)} µs a request`);

/** Runs a row under the profiler and prints where each thread of the shop spends its time. */
export const profileHttpRow = async (bench: Bench, name: HttpRowName): Promise<void> => {
  const row = rows[name];
  const { firstMs, profileMs } = times(bench.isQuick);
  const profiles = join(bench.folder, `profiles-${name}`);
  mkdirSync(profiles);
  let setUpMs = 0;
  const startedAt = performance.now();
  let cpu: readonly string[] = [];
  const result = await onStage(
    bench,
    row,
    ['--cpu-prof', `--cpu-prof-dir=${profiles}`],
    async ({ shop, load }) => {
      setUpMs = performance.now() - startedAt + firstMs;
      const job = { kind: 'load', work: row.work, port: shop.port, shoppers: row.shoppers } as const;
      await load.run<LoadResult>({ ...job, warmUpMs: firstMs, measureMs: 100 });
      const before = threadCpuMilliseconds(shop.pid);
      const measured = await load.run<LoadResult>({ ...job, warmUpMs: 0, measureMs: profileMs });
      cpu = busyThreads(before, threadCpuMilliseconds(shop.pid), measured.requests);
      return measured;
    },
  );
  console.log(`\n${row.name} under the profiler: ${whole(result.perSecond)} per second`);
  for (const line of cpu) console.log(`  thread ${line}`);
  for (const file of filesIn(profiles, '.cpuprofile')) {
    console.log(`\n${file}`);
    for (const { share, name: place } of selfTimes(
      join(profiles, file),
      PROFILED_FUNCTIONS,
      setUpMs,
      profileMs,
    )) {
      console.log(`  ${percent(share).padStart(6)}  ${place}`);
    }
  }
};
