import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { percent, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { filesIn, residentMegabytes } from './machine.ts';
import { appOf, runToEnd } from './processes.ts';

/** Of thousands of orders, so many in four hours that there is always company for a commit. */
const DAYS = 30;
const ORDERS_PER_SECOND = 100;
const GROWTH = 0.1;
const KILOBYTES_AN_ORDER = 50;
const SAMPLE_EVERY_MS = 100;
/** A look at what is alive takes a collection of all garbage. */
const LOOK_EVERY_MS = 5000;
/** By then caches are full, and everything else that is bounded has come to its bound. */
const SETTLED_ORDERS = 10_000;
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
  const alive: number[] = [];
  const heapFile = join(dataDir, 'heap');
  writeFileSync(heapFile, '');
  let looked = performance.now();
  const lookAtHeap = (pid: number): void => {
    if (performance.now() - looked < LOOK_EVERY_MS) return;
    looked = performance.now();
    // What the last signal has brought; the first comes to nobody who listens.
    const megabytes = Number(readFileSync(heapFile, 'utf8'));
    if (megabytes > 0) alive.push(megabytes);
    process.kill(pid, 'SIGUSR2');
  };
  await runToEnd(
    {
      args: [
        '--expose-gc',
        `--import=${fileURLToPath(new URL('./live-heap.ts', import.meta.url))}`,
        ...appOf(),
        'simulate',
        `--orders=${orders}`,
        `--days=${DAYS}`,
        '--seed=1',
        `--data=${dataDir}`,
      ],
      env: { STORE_FILE: bench.storeFile, HEAP_FILE: heapFile },
      outputFile,
    },
    SAMPLE_EVERY_MS,
    (pid) => {
      const resident = residentMegabytes(pid);
      if (resident === null || printed().includes(FILLING)) return;
      samples.push(resident);
      lookAtHeap(pid);
    },
  );
  const speed = /\(([\d,]+) orders\/s\)/.exec(printed())?.[1];
  if (speed === undefined) throw new Error(`the simulation printed no speed:\n${printed().slice(-3000)}`);
  const perSecond = Number(speed.replaceAll(',', ''));
  const settled = alive[Math.floor((Math.min(SETTLED_ORDERS, orders / 2) / orders) * alive.length)] ?? NaN;
  const last = alive.at(-1) ?? NaN;
  const bytes = filesIn(dataDir, '.db')
    .map((file) => statSync(join(dataDir, file)).size)
    .reduce((sum, size) => sum + size, 0);
  const kilobytes = bytes / orders / 1000;
  const [middle, end] = [mostOf(samples, 0.25, 0.5), mostOf(samples, 0.75, 1)];
  return [
    {
      work: `simulate, ${whole(orders)} orders in ${DAYS} days`,
      measured: `${whole(perSecond)} orders/s`,
      reach: `at least ${ORDERS_PER_SECOND} orders/s`,
      isReached: perSecond >= ORDERS_PER_SECOND,
    },
    {
      work: 'events and documents on disk, an order',
      measured: `${kilobytes.toFixed(1)} kB`,
      reach: `at most ${KILOBYTES_AN_ORDER} kB`,
      isReached: kilobytes <= KILOBYTES_AN_ORDER,
    },
    {
      work: 'its memory in the last quarter of the run, compared with the second',
      measured: `${whole(end)} MB resident at most, ${whole(middle)} before: ${percent(end / middle - 1)} more`,
      reach: 'within 10 %',
      isReached: end <= middle * (1 + GROWTH),
    },
    {
      work: `alive on its heap at the end, compared with ${whole(Math.min(SETTLED_ORDERS, orders / 2))} orders`,
      measured: `${last.toFixed(1)} MB, ${settled.toFixed(1)} before: ${percent(last / settled - 1)} more`,
      reach: 'within 10 %',
      isReached: last <= settled * (1 + GROWTH),
    },
  ];
};
