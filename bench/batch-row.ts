import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { backoffice } from './backoffice.ts';
import { milliseconds, seconds, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import type { LoadResult } from './load.ts';
import { startShop, untilSettled } from './processes.ts';
import { startLoad } from './workers.ts';

const SHOPPERS = 16;
const CUSTOMERS = 100;
const AT_ONCE = 8;
const WARM_UP_MS = 1000;
const SLICE_MS = 1000;
const PAID_WITHIN_MS = 10_000;
const ADD_P99_MS = 150;

/** One request that records a payment for each of so many invoices, while shoppers add. */
export const measureBatch = async (bench: Bench, invoices: number): Promise<Figure[]> => {
  const dataDir = join(bench.folder, 'batch');
  mkdirSync(dataDir);
  const shop = await startShop({
    core: bench.pinning?.server ?? null,
    dataDir,
    storeFile: bench.storeFile,
    outputFile: join(dataDir, 'shop.log'),
  });
  const load = await startLoad(bench.pinning?.load ?? null, bench.productIds);
  try {
    const desk = backoffice(shop.port);
    const waiting = Array.from({ length: invoices }, (_, index) => index).values();
    const ids: string[] = [];
    const sell = async (): Promise<void> => {
      for (const index of waiting)
        ids.push(await desk.sellByHand(`customer-${index % CUSTOMERS}@bench.example`));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sell));
    await untilSettled(shop.port);
    bench.say(`batch: ${whole(invoices)} unpaid invoices of ${whole(CUSTOMERS)} customers`);
    const slice = (warmUpMs: number): Promise<LoadResult> =>
      load.run<LoadResult>({
        ...{ kind: 'load', work: 'add', port: shop.port, shoppers: SHOPPERS },
        ...{ warmUpMs, measureMs: SLICE_MS },
      });
    const quiet = await slice(WARM_UP_MS);
    const slices: LoadResult[] = [];
    const begun = performance.now();
    const state = { took: 0 };
    const paying = desk.markPaid(ids).finally(() => (state.took = performance.now() - begun));
    while (state.took === 0) slices.push(await slice(0));
    const paid = await paying;
    const { took } = state;
    if (paid !== invoices) throw new Error(`${invoices} invoices should have been paid, ${paid} were`);
    const p99 = Math.max(...slices.map((one) => one.p99));
    const adds = slices.reduce((sum, one) => sum + one.perSecond, 0) / slices.length;
    return [
      {
        work: `batch-mark-paid of ${whole(invoices)} invoices, ${SHOPPERS} shoppers adding`,
        measured: seconds(took),
        reach: `under ${seconds(PAID_WITHIN_MS)}`,
        isReached: took < PAID_WITHIN_MS,
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
