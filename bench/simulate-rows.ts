import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { percent, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { residentMegabytes } from './machine.ts';
import { runToEnd } from './processes.ts';

/** Of thousands of orders, so many in four hours that there is always company for a commit. */
const DAYS = 30;
const ORDERS_PER_SECOND = 150;
const GROWTH = 0.1;
const SAMPLE_EVERY_MS = 100;
/** What the command prints once the shopping is over and the read models are being filled. */
const FILLING = 'Filling the read models';

const mostOf = (samples: readonly number[], from: number, to: number): number =>
  Math.max(...samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to)));

/** `tillroll simulate` as its users start it, and the memory that it has resident while shoppers come and go. */
export const measureSimulation = async (bench: Bench, orders: number): Promise<Figure[]> => {
  const dataDir = join(bench.folder, 'simulate');
  mkdirSync(dataDir);
  const outputFile = join(dataDir, 'simulate.log');
  const printed = (): string => readFileSync(outputFile, 'utf8');
  bench.say(`simulate: ${whole(orders)} orders`);
  const samples: number[] = [];
  await runToEnd(
    {
      args: [
        'tillroll.ts',
        'simulate',
        `--orders=${orders}`,
        `--days=${DAYS}`,
        '--seed=1',
        `--data=${dataDir}`,
      ],
      env: { STORE_FILE: bench.storeFile },
      outputFile,
    },
    SAMPLE_EVERY_MS,
    (pid) => {
      const resident = residentMegabytes(pid);
      if (resident !== null && !printed().includes(FILLING)) samples.push(resident);
    },
  );
  const speed = /\(([\d,]+) orders\/s\)/.exec(printed())?.[1];
  if (speed === undefined) throw new Error(`the simulation printed no speed:\n${printed().slice(-3000)}`);
  const perSecond = Number(speed.replaceAll(',', ''));
  const [middle, end] = [mostOf(samples, 0.25, 0.5), mostOf(samples, 0.75, 1)];
  return [
    {
      work: `simulate, ${whole(orders)} orders in ${DAYS} days`,
      measured: `${whole(perSecond)} orders/s`,
      reach: `at least ${ORDERS_PER_SECOND} orders/s`,
      isReached: perSecond >= ORDERS_PER_SECOND,
    },
    {
      work: 'its memory in the last quarter of the run, compared with the second',
      measured: `${whole(end)} MB resident at most, ${whole(middle)} before: ${percent(end / middle - 1)} more`,
      reach: 'within 10 %',
      isReached: end <= middle * (1 + GROWTH),
    },
  ];
};
