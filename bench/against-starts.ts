import { cpSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cpuMillisecondsOf } from './against-http.ts';
import { fileNames } from './data-folder.ts';
import { median, seconds, whole, type Figure } from './figures.ts';
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
import { appOf, applicationKey, runToEnd, startShop, untilSettled, type Shop } from './processes.ts';

/*
 * Both versions on a copy each of one data folder, which the other version has written: what is older need not read
 * what is newer.
 */

interface Start {
  readonly ms: number;
  readonly cpuMs: number | null;
}

const DAYS = 30;
const AT_MOST = 1.03;
const percentAtMost = 'at most 103 %';
const ONE_MINUTE_MS = 60_000;

/** Months of shoppers, as that version's own command line makes them. */
const simulate = async ({ bench, sides }: Comparison, orders: number): Promise<string> => {
  const dataDir = join(bench.folder, 'simulated');
  mkdirSync(dataDir);
  bench.say(`simulating ${whole(orders)} orders`);
  await runToEnd(
    {
      root: sides.other.root,
      args: [...appOf(sides.other.root), 'simulate', '--orders', String(orders), '--days', String(DAYS)],
      env: { DATA_DIR: dataDir, STORE_FILE: bench.storeFile, APPLICATION_KEY: applicationKey },
      outputFile: join(bench.folder, 'simulate.log'),
    },
    ONE_MINUTE_MS,
    () => undefined,
  );
  return dataDir;
};

/** A shop on this folder, until it is ready or has all its read models, and how long that took; it is still up. */
const open = async (
  { bench }: Comparison,
  { name, root }: Side,
  dataDir: string,
  isCaughtUp: boolean,
): Promise<Start & { readonly shop: Shop }> => {
  const startedAt = performance.now();
  const shop = await startShop({
    root,
    core: bench.pinning?.server ?? null,
    dataDir,
    storeFile: 'none',
    outputFile: join(bench.folder, `${name}.log`),
    patienceMs: 600_000,
    env: settingsOfBoth,
  });
  if (isCaughtUp) await untilSettled(shop.port);
  const ms = isCaughtUp ? performance.now() - startedAt : shop.readyAfterMs;
  return { shop, ms, cpuMs: cpuMillisecondsOf(shop) };
};

/** From the start of the process until it is ready, then a kill. */
const startOnce = async (
  ...[comparison, side, dataDir, isCaughtUp]: Parameters<typeof open>
): Promise<Start> => {
  const { shop, ...start } = await open(comparison, side, dataDir, isCaughtUp);
  await shop.kill();
  return start;
};

/** Puts a folder into a version's own order: it may have to leave the snapshots of another aside. */
const settleIn = async (comparison: Comparison, side: Side, dataDir: string): Promise<void> => {
  const { shop } = await open(comparison, side, dataDir, true);
  await shop.stop();
};

const figuresOf = (work: string, pairs: readonly Both<Start>[]): Figure[] => {
  const ms = (start: Start): number => start.ms;
  const isReached = median(ratiosOf(pairs, ms)) <= AT_MOST;
  const cpu = comparedText(pairs, ({ cpuMs }) => cpuMs, seconds);
  return [
    { work, measured: comparedText(pairs, ms, seconds), reach: percentAtMost, isReached },
    { work: '… CPU', measured: cpu, reach: 'printed', isReached: null },
  ];
};

const rows = {
  start: 'start after kill -9',
  replay: 'cold replay: start without read models, until all are there',
} as const;

export type ComparedStart = keyof typeof rows;

/** Compares how long a killed shop takes to be back, with its read models and without them. */
export const compareStarts = async (
  comparison: Comparison,
  names: readonly ComparedStart[],
  orders: number,
): Promise<Figure[]> => {
  const simulated = await simulate(comparison, orders);
  const folders = await onBoth(comparison, async ({ name }) => {
    const folder = join(comparison.bench.folder, `starts-${name}`);
    cpSync(simulated, folder, { recursive: true });
    return Promise.resolve(folder);
  });
  await onBoth(comparison, (side) => settleIn(comparison, side, folders[side.name]));
  const figures: Figure[] = [];
  for (const name of names) {
    const isCold = name === 'replay';
    const measure = (side: Side): Promise<Start> => {
      const folder = folders[side.name];
      if (isCold) for (const file of globSync(`${fileNames(folder).read}*`)) rmSync(file);
      return startOnce(comparison, side, folder, isCold);
    };
    const title = `${rows[name]}, ${whole(orders)} simulated orders`;
    const show = ({ ms }: Start): string => seconds(ms);
    figures.push(...figuresOf(title, await inPairs(comparison, { title, measure, show })));
  }
  return figures;
};
