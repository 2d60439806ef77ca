import { setTimeout as pause } from 'node:timers/promises';
import type { ProjectionResponse } from '#contracts/projections.contract.ts';
import { backofficeKey } from './backoffice.ts';
import { median, milliseconds, percent, seconds, spread, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import type { LoadResult } from './load.ts';
import { produceShop, shopOptions } from './log-rows.ts';
import { startShop, untilSettled } from './processes.ts';
import { startLoad } from './workers.ts';

const SHOPPERS = 16;
const ANALYSTS = 4;
const ADDS_SHARE = 0.7;
const P99_FACTOR = 2;
const LAG_SECONDS = 2;
const LOOK_EVERY_MS = 100;
/** How long an analyst looks at an answer. */
const READING_MS = 100;
const WARM_UP_MS = 2000;
const DAYS = 'startDate=2026-01-01&endDate=2026-12-31';
const QUESTIONS = [
  `/reporting/summary?${DAYS}`,
  '/orders?pageSize=20',
  '/customers?pageSize=20',
  `/reporting/breakdown?${DAYS}`,
];

/** Asks a shop as its backoffice does. Errors: any answer but a 2xx. */
const asking =
  (port: number) =>
  async <Answer>(path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${port}/backoffice/api/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${backofficeKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Answer;
  };

type Ask = ReturnType<typeof asking>;

const projectionsOf = async (ask: Ask): Promise<readonly ProjectionResponse[]> =>
  (await ask<{ readonly items: readonly ProjectionResponse[] }>('/projections')).items;

/** Analysts who read until they are told to stop; how often they were answered. */
const analysts = (ask: Ask) => {
  let isOver = false;
  let answered = 0;
  const read = async (): Promise<void> => {
    for (let turn = 0; !isOver; turn++, answered++) {
      await ask(QUESTIONS[turn % QUESTIONS.length] ?? '');
      await pause(READING_MS);
    }
  };
  const reading = Promise.all(Array.from({ length: ANALYSTS }, read));
  // Awaited below; until then a failure must not count as unhandled.
  reading.catch(() => undefined);
  return async (): Promise<number> => {
    isOver = true;
    await reading;
    return answered;
  };
};

interface Rebuild {
  readonly ms: number;
  readonly events: number;
  readonly lagSeconds: number;
}

/** Rebuilds every view, again and again until that has taken so long; how far live views were behind at most. */
const rebuildFor = async (ask: Ask, atLeastMs: number): Promise<Rebuild> => {
  const names = (await projectionsOf(ask)).map(({ name }) => name);
  const begun = performance.now();
  let [ms, events, lagSeconds, rounds] = [0, 0, 0, 0];
  do {
    await ask('/projections/rebuild', { names });
    for (let isOpen = true; isOpen;) {
      await pause(LOOK_EVERY_MS);
      const views = await projectionsOf(ask);
      lagSeconds = Math.max(lagSeconds, ...views.map((view) => view.lagSeconds));
      const failed = views.find(({ rebuild }) => rebuild?.failure);
      if (failed) throw new Error(`the rebuild of ${failed.name} failed: ${failed.rebuild?.failure}`);
      isOpen = views.some(({ rebuild }) => rebuild?.isDone === false);
      events = Math.max(...views.map(({ rebuild }) => rebuild?.eventsRead ?? 0));
    }
    rounds++;
    ms = (performance.now() - begun) / rounds;
  } while (performance.now() - begun < atLeastMs);
  return { ms, events, lagSeconds };
};

interface Pair {
  readonly alone: LoadResult;
  readonly beside: LoadResult;
  readonly rebuild: Rebuild;
  readonly answered: number;
}

const measurePair = async (bench: Bench, dataDir: string): Promise<Pair> => {
  const shop = await startShop(shopOptions(bench, dataDir));
  await untilSettled(shop.port);
  const ask = asking(shop.port);
  const load = await startLoad(bench.pinning?.load ?? null, bench.productIds);
  const measureMs = bench.isQuick ? 3000 : 10_000;
  const job = { kind: 'load', work: 'add', port: shop.port, shoppers: SHOPPERS } as const;
  const shopping = () => load.run<LoadResult>({ ...job, warmUpMs: WARM_UP_MS, measureMs });
  try {
    const endAlone = analysts(ask);
    const alone = await shopping();
    await endAlone();
    const end = analysts(ask);
    const [rebuild, beside] = await Promise.all([rebuildFor(ask, WARM_UP_MS + measureMs), shopping()]);
    return { alone, beside, rebuild, answered: await end() };
  } finally {
    await load.stop();
    await shop.stop();
  }
};

/** All views rebuilt while shoppers fill baskets and analysts read: what it costs them, and how long it takes. */
export const measureRebuild = async (bench: Bench, events: number): Promise<Figure[]> => {
  const dataDir = await produceShop(bench, 'rebuild', events);
  const pairs: Pair[] = [];
  for (let run = 1; run <= bench.runs; run++) {
    pairs.push(await measurePair(bench, dataDir));
    bench.say(`rebuild: run ${run} of ${bench.runs}`);
  }
  const shares = pairs.map(({ alone, beside }) => beside.perSecond / alone.perSecond);
  const factors = pairs.map(({ alone, beside }) => beside.p99 / alone.p99);
  const lag = Math.max(...pairs.map(({ rebuild }) => rebuild.lagSeconds));
  const adds = (of: (pair: Pair) => LoadResult): string =>
    spread(
      pairs.map((pair) => of(pair).perSecond),
      whole,
    );
  return [
    {
      work: `adds of ${SHOPPERS} shoppers while all views are rebuilt and ${ANALYSTS} analysts read`,
      measured: `${spread(shares, percent)} of those without a rebuild: ${adds(({ beside }) => beside)} of ${adds(({ alone }) => alone)}/s`,
      reach: `at least ${percent(ADDS_SHARE)}`,
      isReached: median(shares) >= ADDS_SHARE,
    },
    {
      work: 'their p99',
      measured: `${spread(
        pairs.map(({ beside }) => beside.p99),
        milliseconds,
      )}, ${spread(factors, (factor) => `${factor.toFixed(2)}-fold`)}`,
      reach: `at most ${P99_FACTOR}-fold`,
      isReached: median(factors) <= P99_FACTOR,
    },
    {
      work: 'how far live views are behind meanwhile, the switch included',
      measured: `${lag.toFixed(1)} s at most`,
      reach: `under ${LAG_SECONDS} s`,
      isReached: lag < LAG_SECONDS,
    },
    {
      work: 'the rebuild itself',
      measured: `${spread(
        pairs.map(({ rebuild }) => rebuild.ms),
        seconds,
      )} for ${whole(pairs[0]?.rebuild.events ?? 0)} events; analysts were answered ${whole(pairs[0]?.answered ?? 0)} times, none refused`,
      reach: 'printed',
      isReached: null,
    },
  ];
};
