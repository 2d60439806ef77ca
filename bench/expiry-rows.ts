import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, milliseconds, percent, seconds, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import type { LoadResult } from './load.ts';
import { advanceClock, runTestJob, startShop, untilSettled } from './processes.ts';
import { runModule, startLoad } from './workers.ts';

const SHOPPERS = 16;
const WARM_UP_MS = 1000;
const SLICE_MS = 2000;
const EXPIRED_WITHIN_MS = 30_000;
const ADD_P99_MS = 100;
const NOTHING_DUE_MS = 5;
/** How much older the old ones are: due when the clock has been moved, and the others not while it is measured. */
const OLD_MINUTES = 20;
const HOLD_SECONDS = 60 * 60;

interface Unpaid {
  /** When the fixture was begun, from which the age of its orders counts. */
  readonly madeAt: number;
  readonly filledMs: number;
  readonly looks: readonly number[];
}

/** The job that expires unpaid invoices: with nothing to do, and with a tenth of them due while shoppers add. */
export const measureExpiry = async (bench: Bench, orders: number): Promise<Figure[]> => {
  const due = orders / 10;
  const dataDir = join(bench.folder, 'expiry');
  mkdirSync(dataDir);
  const options = {
    core: bench.pinning?.server ?? null,
    dataDir,
    storeFile: bench.storeFile,
    outputFile: join(dataDir, 'shop.log'),
    patienceMs: 600_000,
    // Old enough to be due only when the clock is moved, however long it takes until then.
    env: { Store__unpaidHoldMinutes: String(HOLD_SECONDS / 60) },
  };
  await (await startShop(options)).stop();
  const productsFile = join(dataDir, 'products.json');
  writeFileSync(productsFile, JSON.stringify(bench.productIds));
  let told = 0;
  const args = [dataDir, String(orders), String(due), String(OLD_MINUTES), productsFile];
  const begun = performance.now();
  const { madeAt, filledMs, looks } = await runModule<Unpaid>(null, './produce-unpaid.ts', args, (share) => {
    if (share - told < 0.1) return;
    told = share;
    bench.say(`expiry: ${percent(share)} of ${whole(orders)} unpaid orders`);
  });
  const readMs = performance.now() - begun - filledMs;
  bench.say(
    `expiry: ${whole(orders)} unpaid orders, made in ${seconds(filledMs)}, read in ${seconds(readMs)}`,
  );

  const shop = await startShop(options);
  const load = await startLoad(bench.pinning?.load ?? null, bench.productIds);
  try {
    await untilSettled(shop.port);
    const slice = (warmUpMs: number): Promise<LoadResult> =>
      load.run<LoadResult>({
        ...{ kind: 'load', work: 'add', port: shop.port, shoppers: SHOPPERS },
        ...{ warmUpMs, measureMs: SLICE_MS },
      });
    const quiet = await slice(WARM_UP_MS);
    // However long all this took: the old ones are due by half of what they are older, the others not yet.
    const dueAt = madeAt + (HOLD_SECONDS - (OLD_MINUTES / 2) * 60) * 1000;
    await advanceClock(shop.port, Math.ceil((dueAt - Date.now()) / 1000));
    const slices: LoadResult[] = [];
    const state = { isDone: false };
    const running = runTestJob(shop.port, 'release-reservations').finally(() => (state.isDone = true));
    while (!state.isDone) slices.push(await slice(0));
    const { ms, summary } = await running;
    if (summary['expired'] !== due)
      throw new Error(`${due} invoices should have expired: ${JSON.stringify(summary)}`);
    const p99 = Math.max(...slices.map((one) => one.p99));
    const adds = slices.reduce((sum, one) => sum + one.perSecond, 0) / slices.length;
    return [
      {
        work: `release-reservations with nothing due, ${whole(orders)} unpaid invoices`,
        measured: `${milliseconds(median(looks))} (${milliseconds(Math.min(...looks))}–${milliseconds(Math.max(...looks))})`,
        reach: `under ${NOTHING_DUE_MS} ms`,
        isReached: median(looks) < NOTHING_DUE_MS,
      },
      {
        work: `the same with ${whole(due)} of them due, ${SHOPPERS} shoppers adding`,
        measured: `${seconds(ms)}, all stock back`,
        reach: `within ${seconds(EXPIRED_WITHIN_MS)}`,
        isReached: ms < EXPIRED_WITHIN_MS,
      },
      {
        work: 'the adds of these shoppers meanwhile: p99',
        measured: `${milliseconds(p99)} at ${whole(adds)} /s; before: ${milliseconds(quiet.p99)} at ${whole(quiet.perSecond)} /s`,
        reach: `under ${ADD_P99_MS} ms`,
        isReached: p99 < ADD_P99_MS,
      },
    ];
  } finally {
    await load.stop();
    await shop.stop();
  }
};
