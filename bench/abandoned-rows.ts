import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { milliseconds, seconds, whole, type Figure } from './figures.ts';
import type { Detection } from './find-abandoned.ts';
import type { Bench } from './http-rows.ts';
import { startShop, untilSettled } from './processes.ts';
import { measureQuestions, slowest, tookText } from './questions.ts';
import { runModule } from './workers.ts';

const FOUND_WITHIN_MS = 5000;
const LONGEST_TURN_MS = 50;
const IDLE_MS = 5;
const ANSWERED_WITHIN_MS = 20;
const TIMES = { warmUp: 10, measured: 100 };

const orders = ['DateAbandoned', 'LastActivity', 'Total', 'Email'].flatMap((order) => [
  `orderBy=${order}`,
  `orderBy=${order}&descending=false`,
]);
const questions = {
  list: ['', 'status=Abandoned', 'status=Active', 'fromDate=2020-01-01', ...orders].map(
    (query) => `?${query}`,
  ),
  search: ['bench.example', 'shopper-777', '9@bench', '99', 'nobody'].flatMap((text) => [
    `?search=${text}`,
    `?search=${text}&status=Active&orderBy=Total`,
    `?search=${text}&page=20`,
  ]),
  statistics: ['/stats', '/stats?fromDate=2020-01-01', '/series'],
} as const;

/** What staff ask about very many records, over HTTP. */
const measureAsked = async (bench: Bench, dataDir: string, checkouts: number): Promise<Figure[]> => {
  const { pinning, storeFile, isQuick } = bench;
  const outputFile = join(dataDir, 'shop.log');
  const shop = await startShop({ core: pinning?.server ?? null, dataDir, storeFile, outputFile });
  try {
    await untilSettled(shop.port);
    const figures: Figure[] = [];
    for (const [kind, paths] of Object.entries(questions)) {
      const measure = (times: number) =>
        measureQuestions([shop.port], paths, isQuick ? 5 : times, (path) => `/abandoned-checkouts${path}`);
      await measure(TIMES.warmUp);
      const [measured = new Map()] = await measure(TIMES.measured);
      for (const one of measured) bench.say(`abandoned: ${kind}: ${tookText(one)}`);
      const worst = slowest(measured);
      figures.push({
        work: `${kind} over ${whole(checkouts)} abandoned checkouts: p99 of the slowest`,
        measured: tookText(worst),
        reach: `under ${ANSWERED_WITHIN_MS} ms`,
        isReached: worst[1].p99 < ANSWERED_WITHIN_MS,
      });
    }
    return figures;
  } finally {
    await shop.stop();
  }
};

/** The job that finds abandoned checkouts, among very many in progress, and what staff ask about these. */
export const measureAbandoned = async (bench: Bench, checkouts: number, due: number): Promise<Figure[]> => {
  const dataDir = join(bench.folder, 'abandoned');
  mkdirSync(dataDir);
  const begun = performance.now();
  const args = [dataDir, String(checkouts), String(due)];
  const { idle, found } = await runModule<Detection>(null, './find-abandoned.ts', args);
  bench.say(`abandoned: ${whole(checkouts)} checkouts, in ${seconds(performance.now() - begun)}`);
  if (idle.abandoned !== 0 || found.abandoned !== due)
    throw new Error(`${due} checkouts should have been abandoned: ${JSON.stringify({ idle, found })}`);
  const asked = await measureAsked(bench, dataDir, checkouts);
  return [
    {
      work: `detect-abandoned with nothing due, ${whole(checkouts)} checkouts in progress`,
      measured: milliseconds(idle.ms),
      reach: `under ${IDLE_MS} ms`,
      isReached: idle.ms < IDLE_MS,
    },
    {
      work: `the same with ${whole(due)} of them due`,
      measured: seconds(found.ms),
      reach: `under ${seconds(FOUND_WITHIN_MS)}`,
      isReached: found.ms < FOUND_WITHIN_MS,
    },
    {
      work: 'the longest that it held the event loop',
      measured: milliseconds(found.longestTurn),
      reach: `under ${LONGEST_TURN_MS} ms`,
      isReached: found.longestTurn < LONGEST_TURN_MS,
    },
    ...asked,
  ];
};
