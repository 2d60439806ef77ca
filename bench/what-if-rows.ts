import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { percent, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { appOf, runToEnd } from './processes.ts';
import type { WhatIfMeasured } from './replay-sales.ts';
import { runModule } from './workers.ts';

const SALES_PER_SECOND = 2000;
const DAYS = 90;
const GROWTH = 0.1;
const LOOK_EVERY_MS = 1000;

/** Simulated sales priced again with a limited rule more, each checked first with nothing changed. */
export const measureWhatIf = async (bench: Bench, orders: number): Promise<Figure[]> => {
  const dataDir = join(bench.folder, 'what-if');
  mkdirSync(dataDir);
  bench.say(`what-if: ${whole(orders)} orders are simulated`);
  await runToEnd(
    {
      args: [...appOf(), 'simulate', `--orders=${orders}`, `--days=${DAYS}`, '--seed=1', `--data=${dataDir}`],
      env: { STORE_FILE: bench.storeFile },
      outputFile: join(dataDir, 'simulate.log'),
    },
    LOOK_EVERY_MS,
    () => undefined,
  );
  const core = bench.pinning?.server ?? null;
  const measured = await runModule<WhatIfMeasured>(core, './replay-sales.ts', [dataDir]);
  const { sales, asRecorded, leftAsSold, ms, middle, end } = measured;
  const perSecond = (sales / ms) * 1000;
  const differing = sales - asRecorded - leftAsSold;
  return [
    {
      work: `what-if over ${whole(sales)} sales, checked and with a rule more`,
      measured: `${whole(perSecond)} sales/s`,
      reach: `at least ${whole(SALES_PER_SECOND)} sales/s`,
      isReached: perSecond >= SALES_PER_SECOND,
    },
    {
      work: 'with nothing changed, sales that do not come out as recorded',
      measured: whole(differing),
      reach: 'none',
      isReached: differing === 0,
    },
    {
      work: 'alive on its heap at the end of the log, compared with the middle',
      measured: `${end.toFixed(1)} MB, ${middle.toFixed(1)} before: ${percent(end / middle - 1)} more`,
      reach: 'within 10 %',
      isReached: end <= middle * (1 + GROWTH),
    },
  ];
};
