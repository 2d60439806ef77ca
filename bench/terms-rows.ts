import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { backofficeKey } from './backoffice.ts';
import { milliseconds, seconds, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { runTestJob, startShop, untilSettled } from './processes.ts';
import { runModule } from './workers.ts';

const REACH_MS = 15;
const JOB_MS = 50;
const ASKED = 500;
const JOB_RUNS = 20;

const at = (share: number, took: readonly number[]): number =>
  took.toSorted((one, other) => one - other)[Math.ceil(took.length * share) - 1] ?? NaN;

const p99 = (took: readonly number[]): number => at(0.99, took);

const timed = async (work: () => Promise<unknown>, times: number): Promise<readonly number[]> => {
  const took: number[] = [];
  for (let turn = 0; turn < times; turn++) {
    const begun = performance.now();
    await work();
    took.push(performance.now() - begun);
  }
  return took;
};

/** What a customer owes with very many open invoices, and the job that reminds, with nothing due. */
export const measureTerms = async (bench: Bench, orders: number, open: number): Promise<Figure[]> => {
  const dataDir = join(bench.folder, 'terms');
  mkdirSync(dataDir);
  const options = {
    core: bench.pinning?.server ?? null,
    dataDir,
    storeFile: bench.storeFile,
    outputFile: join(dataDir, 'shop.log'),
    patienceMs: 900_000,
  };
  await (await startShop(options)).stop();
  const begun = performance.now();
  await runModule(null, './produce-orders.ts', [dataDir, String(orders)]);
  const { customerId } = await runModule<{ readonly customerId: string }>(null, './produce-debtor.ts', [
    dataDir,
    String(open),
  ]);
  bench.say(`terms: ${whole(orders + open)} invoices, made in ${seconds(performance.now() - begun)}`);
  const shop = await startShop(options);
  try {
    await untilSettled(shop.port);
    const read = async (path: string): Promise<unknown> => {
      const headers = { authorization: `Bearer ${backofficeKey}` };
      const response = await fetch(`http://127.0.0.1:${shop.port}/backoffice/api/v1${path}`, { headers });
      if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
      return response.json();
    };
    const path = `/customers/${customerId}/outstanding`;
    const { invoiceCount } = (await read(path)) as { readonly invoiceCount: number };
    if (invoiceCount !== open) throw new Error(`${invoiceCount} invoices are owed, ${open} were made`);
    await timed(() => read(path), ASKED / 5);
    const took = await timed(() => read(path), ASKED);
    const figures = p99(took);
    const list = p99(await timed(() => read(`${path}/invoices`), ASKED / 5));
    const all = p99(await timed(() => read('/orders/outstanding'), ASKED / 5));
    const first = await runTestJob(shop.port, 'invoice-reminders');
    await untilSettled(shop.port);
    const job = p99(await timed(() => runTestJob(shop.port, 'invoice-reminders'), JOB_RUNS));
    bench.say(`terms: ${String(first.summary['reminded'])} reminders took ${seconds(first.ms)}`);
    return [
      {
        work: `GET /customers/{id}/outstanding, ${whole(open)} open invoices among ${whole(orders)}: p99`,
        measured: `${milliseconds(figures)}, median ${milliseconds(at(0.5, took))}`,
        reach: `under ${REACH_MS} ms`,
        isReached: figures < REACH_MS,
      },
      {
        work: 'its list of invoices, and that of all customers, first page of 50: p99',
        measured: `${milliseconds(list)}, ${milliseconds(all)}`,
        reach: '-',
        isReached: true,
      },
      {
        work: 'invoice-reminders with nothing due: p99',
        measured: milliseconds(job),
        reach: `under ${JOB_MS} ms`,
        isReached: job < JOB_MS,
      },
    ];
  } finally {
    await shop.stop();
  }
};
