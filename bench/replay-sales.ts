import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openSqliteEventStore } from '#adapters/sqlite/sqlite-event-store.ts';
import { runWhatIf } from '#command/contexts/discounts/what-if/run-what-if.ts';
import { discount, type Discount } from '#entities/discount.entity.ts';
import { newId } from '#kernel/ids.ts';
import { createKeylessDecoder } from '#log/codec.ts';
import { fileNames } from './data-folder.ts';

/*
 * Prices every sale of a log again with a limited rule more, as `tillroll what-if` does. `node replay-sales.ts <data
 * folder>`.
 */

export interface WhatIfMeasured {
  readonly sales: number;
  readonly asRecorded: number;
  readonly leftAsSold: number;
  readonly ms: number;
  /** Alive on the heap, in megabytes: at the middle of the log, and at its end. */
  readonly middle: number;
  readonly end: number;
}

const [, , dataDir = ''] = process.argv;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const alive = (): number => {
  collect();
  return process.memoryUsage().heapUsed / 1e6;
};

const rule = {
  ...discount
    .createBody(() => 'USD')
    .parse({
      name: 'Tenth',
      category: 'AmountOffOrder',
      method: 'Automatic',
      valueType: 'Percentage',
      value: 10,
    }),
  startsAt: '2000-01-01T00:00:00.000Z',
  perCustomerUsageLimit: 1,
  status: 'Active',
} as Discount;

const measure = async (): Promise<WhatIfMeasured> => {
  const store = await openSqliteEventStore({ file: fileNames(dataDir).events, readOnly: true });
  const sources = { store, decoder: createKeylessDecoder(store) };
  const id = newId();
  const added = { id, rule, status: 'Active', createdAt: '2000-01-01T00:00:00.000Z', uses: 0 } as const;
  const change = { kind: 'added', discount: added } as const;
  const question = { from: '2000-01-01', to: '2999-12-31', change, configured: {} };
  // The first run compiles.
  await runWhatIf(sources, question);
  const started = performance.now();
  const { check } = await runWhatIf(sources, question);
  const ms = performance.now() - started;
  let [middle, end] = [0, 0];
  await runWhatIf(
    {
      ...sources,
      onProgress: ({ phase, position, head }) => {
        if (phase !== 'repricing') return;
        if (middle === 0 && position >= head / 2) middle = alive();
        if (position === head) end = alive();
      },
    },
    question,
  );
  await store.close();
  const leftAsSold = Object.values(check.left).reduce((sum, count) => sum + count, 0);
  return { sales: check.sales, asRecorded: check.asRecorded, leftAsSold, ms, middle, end };
};

measure().then(
  (result) => process.send?.({ result }),
  (error: unknown) => process.send?.({ error: error instanceof Error ? String(error.stack) : String(error) }),
);
process.on('disconnect', () => process.exit());
