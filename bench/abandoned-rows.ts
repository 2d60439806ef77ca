import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { milliseconds, seconds, whole, type Figure } from './figures.ts';
import type { Detection } from './find-abandoned.ts';
import type { Bench } from './http-rows.ts';
import { runModule } from './workers.ts';

const FOUND_WITHIN_MS = 5000;
const LONGEST_TURN_MS = 50;
const IDLE_MS = 5;

/** The job that finds abandoned checkouts, among very many in progress. */
export const measureAbandoned = async (bench: Bench, checkouts: number, due: number): Promise<Figure[]> => {
  const dataDir = join(bench.folder, 'abandoned');
  mkdirSync(dataDir);
  const begun = performance.now();
  const args = [dataDir, String(checkouts), String(due)];
  const { idle, found } = await runModule<Detection>(null, './find-abandoned.ts', args);
  bench.say(`abandoned: ${whole(checkouts)} checkouts, in ${seconds(performance.now() - begun)}`);
  if (idle.abandoned !== 0 || found.abandoned !== due)
    throw new Error(`${due} checkouts should have been abandoned: ${JSON.stringify({ idle, found })}`);
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
  ];
};
