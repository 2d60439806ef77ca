import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { milliseconds, percent, seconds, whole, type Figure } from './figures.ts';
import { backofficeKey } from './backoffice.ts';
import type { Bench } from './http-rows.ts';
import { startShop, untilSettled } from './processes.ts';
import { runModule } from './workers.ts';

const FIRST_PAGE_MS = 15;
const ANY_PAGE_MS = 60;
const SEARCH_MS = 100;
const GROWTH = 0.2;
const ASKED = 300;
const WARM_UP = 100;

const filters = [
  '',
  ...['cancelled', 'all'].map((status) => `cancellationStatus=${status}`),
  ...['Unpaid', 'Paid'].map((status) => `paymentStatus=${status}`),
  ...['Unfulfilled', 'Processing', 'Fulfilled'].map((status) => `fulfillmentStatus=${status}`),
  ...['Pending', 'ReadyToFulfill', 'OnHold', 'Shipped', 'Completed', 'FulfilmentFailed'].map(
    (status) => `status=${status}`,
  ),
];
const sorts = ['date', 'total', 'invoiceNumber', 'customerName', 'dueDate'].flatMap((sort) => [
  `sortBy=${sort}&sortDir=desc`,
  `sortBy=${sort}&sortDir=asc`,
]);
const firstPages = [...filters, ...sorts];
const searches = ['search=bench.example', 'search=INV-0042', 'search=nobody', 'search=ida&sortBy=total'];

interface Took {
  readonly p50: number;
  readonly p99: number;
}

/** How long each query takes, one after the other. */
const measureQueries = async (
  port: number,
  queries: readonly string[],
  times: number,
): Promise<ReadonlyMap<string, Took>> => {
  const headers = { authorization: `Bearer ${backofficeKey}` };
  const all = new Map<string, Took>();
  for (const query of queries) {
    const took: number[] = [];
    for (let turn = 0; turn < times; turn++) {
      const begun = performance.now();
      const response = await fetch(`http://127.0.0.1:${port}/backoffice/api/v1/orders?${query}`, { headers });
      const { items } = (await response.json()) as { readonly items: readonly unknown[] };
      if (!response.ok) throw new Error(`GET /orders?${query} answered ${response.status}`);
      took.push(performance.now() - begun);
      if (!Array.isArray(items)) throw new Error(`GET /orders?${query} answered no list`);
    }
    took.sort((one, other) => one - other);
    const at = (share: number): number => took[Math.ceil(share * took.length) - 1] ?? NaN;
    all.set(query, { p50: at(0.5), p99: at(0.99) });
  }
  return all;
};

type Measured = ReadonlyMap<string, Took>;

const slowest = (measured: Measured): readonly [string, Took] =>
  [...measured].reduce((one, other) => (other[1].p99 > one[1].p99 ? other : one), ['', { p50: 0, p99: 0 }]);

const sumOf = (measured: Measured, of: keyof Took): number =>
  [...measured.values()].reduce((sum, took) => sum + took[of], 0);

const told = (query: string, { p50, p99 }: Took): string =>
  `${milliseconds(p99)} (${query || 'no filter'}; its median: ${milliseconds(p50)})`;

interface Lists {
  readonly first: Measured;
  readonly any: Measured;
  readonly search: Measured;
}

/** A shop with so many orders, and how long its lists take. */
const measureLists = async (bench: Bench, orders: number): Promise<Lists> => {
  const dataDir = join(bench.folder, `orders-${orders}`);
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
  let made = 0;
  await runModule(null, './produce-orders.ts', [dataDir, String(orders)], (share) => {
    if (share - made < 0.2) return;
    made = share;
    bench.say(`orders: ${percent(share)} of ${whole(orders)}`);
  });
  bench.say(`orders: ${whole(orders)}, made in ${seconds(performance.now() - begun)}`);
  const shop = await startShop(options);
  try {
    await untilSettled(shop.port);
    const asked = bench.isQuick ? ASKED / 10 : ASKED;
    await measureQueries(shop.port, firstPages, bench.isQuick ? 2 : WARM_UP / 10);
    const first = await measureQueries(shop.port, firstPages, asked);
    const pages = [1 / 3, 2 / 3, 0.99].map((share) => `page=${Math.ceil((share * orders) / 50)}`);
    const deep = pages.flatMap((page) => [...sorts, ...filters].map((query) => `${page}&${query}`));
    const any = await measureQueries(shop.port, deep, Math.ceil(asked / 15));
    const search = await measureQueries(shop.port, searches, Math.ceil(asked / 3));
    return { first, any, search };
  } finally {
    await shop.stop();
  }
};

/** The order list, over HTTP: each filter, each sort, any page, search; with many orders beside few. */
export const measureOrders = async (bench: Bench, orders: number): Promise<Figure[]> => {
  const few = await measureLists(bench, orders / 10);
  const many = await measureLists(bench, orders);
  for (const [query, { p50, p99 }] of many.first) {
    const before = few.first.get(query) ?? { p50: NaN, p99: NaN };
    const show = (took: number, than: number) => `${milliseconds(than)} → ${milliseconds(took)}`;
    bench.say(
      `orders: ${query || 'no filter'}: median ${show(p50, before.p50)}, p99 ${show(p99, before.p99)}`,
    );
  }
  const [query, first] = slowest(many.first);
  const growth = (of: keyof Took): number => sumOf(many.first, of) / sumOf(few.first, of) - 1;
  const [anyQuery, anyPage] = slowest(many.any);
  const [searched, search] = slowest(many.search);
  return [
    {
      work: `GET /orders, first page of 50, ${firstPages.length} filters and sorts, ${whole(orders)} orders: p99 of the slowest`,
      measured: told(query, first),
      reach: `under ${FIRST_PAGE_MS} ms`,
      isReached: first.p99 < FIRST_PAGE_MS,
    },
    {
      work: 'the same compared with a tenth as many, all queries together',
      measured: `p99 ${percent(growth('p99'))} more, median ${percent(growth('p50'))}`,
      reach: 'within 20 %',
      isReached: growth('p99') <= GROWTH,
    },
    {
      work: 'a page in the first, second and last third: p99 of the slowest',
      measured: told(anyQuery, anyPage),
      reach: `under ${ANY_PAGE_MS} ms`,
      isReached: anyPage.p99 < ANY_PAGE_MS,
    },
    {
      work: 'search: p99 of the slowest',
      measured: told(searched, search),
      reach: `under ${SEARCH_MS} ms`,
      isReached: search.p99 < SEARCH_MS,
    },
  ];
};
