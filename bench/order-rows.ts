import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { derivedId } from '#kernel/ids.ts';
import { milliseconds, percent, seconds, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { startShop, untilSettled, type Shop } from './processes.ts';
import { ask, measureQuestions, slowest, tookText, type Measured, type Took } from './questions.ts';
import { runModule } from './workers.ts';

const FIRST_PAGE_MS = 15;
const LAST_PAGE_MS = 15;
const ANY_PAGE_MS = 200;
const SEARCH_MS = 200;
const GROWTH = 0.2;
const PAGE = 50;
/** Of each question. */
const TIMES = { warmUp: 10, first: 200, any: 20, search: 40 };

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

const filters = [
  '',
  ...['cancelled', 'all'].map((status) => `cancellationStatus=${status}`),
  ...['Unpaid', 'Paid'].map((status) => `paymentStatus=${status}`),
  ...['Unfulfilled', 'Processing', 'Fulfilled'].map((status) => `fulfillmentStatus=${status}`),
  ...['Pending', 'ReadyToFulfill', 'OnHold', 'Shipped', 'Completed', 'FulfilmentFailed'].map(
    (status) => `status=${status}`,
  ),
  ...[
    'country=GB',
    `customerId=${derivedId('bench customer', 7)}`,
    `dateFrom=${daysAgo(60)}&dateTo=${daysAgo(31)}`,
  ],
];
const sorts = ['date', 'total', 'invoiceNumber', 'customerName', 'dueDate'].flatMap((sort) => [
  `sortBy=${sort}&sortDir=desc`,
  `sortBy=${sort}&sortDir=asc`,
]);
const firstPages = [...filters, ...sorts];
const paged = [...firstPages, 'cancellationStatus=all&sortBy=total'];
const searches = ['search=bench.example', 'search=INV-0042', 'search=nobody', 'search=ida&sortBy=total'];

const pathOf = (query: string): string => `/orders?${query}`;

const measureOften = (
  ports: readonly number[],
  queries: readonly string[],
  times: number,
): Promise<readonly Measured[]> => measureQuestions(ports, queries, times, pathOf);

/** The pages at a place of what each question finds: 1 is the last one. */
const pagesAt = async (port: number, place: number): Promise<readonly string[]> => {
  const pages: string[] = [];
  for (const query of paged) {
    const { answer } = await ask<{ readonly totalItems: number }>(port, pathOf(query));
    const last = Math.max(1, Math.ceil(answer.totalItems / PAGE));
    pages.push(`page=${Math.ceil(last * place)}&${query}`);
  }
  return pages;
};

const sumOf = (measured: Measured, of: keyof Took): number =>
  [...measured.values()].reduce((sum, took) => sum + took[of], 0);

/** A shop with so many orders. */
const openFilled = async (bench: Bench, orders: number): Promise<Shop> => {
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
  await untilSettled(shop.port);
  return shop;
};

/** What was measured, question by question. */
const sayAll = ({ say }: Bench, measured: Measured, before?: Measured): void => {
  for (const [query, { p50, p99 }] of measured) {
    const few = before?.get(query);
    const show = (took: number, than?: number) =>
      than === undefined ? milliseconds(took) : `${milliseconds(than)} → ${milliseconds(took)}`;
    say(`orders: ${query || 'no filter'}: median ${show(p50, few?.p50)}, p99 ${show(p99, few?.p99)}`);
  }
};

const figuresOf = (orders: number, few: Measured, first: Measured): Figure[] => {
  const growth = (of: keyof Took): number => sumOf(first, of) / sumOf(few, of) - 1;
  const worst = slowest(first);
  return [
    {
      work: `GET /orders, first page of ${PAGE}, ${firstPages.length} filters and sorts, ${whole(orders)} orders: p99 of the slowest`,
      measured: tookText(worst),
      reach: `under ${FIRST_PAGE_MS} ms`,
      isReached: worst[1].p99 < FIRST_PAGE_MS,
    },
    {
      work: 'the same compared with a tenth as many, all queries together',
      measured: `p99 ${percent(growth('p99'))} more, median ${percent(growth('p50'))}`,
      reach: 'within 20 %',
      isReached: growth('p99') <= GROWTH,
    },
  ];
};

/** The order list, over HTTP: each filter, each sort, any page, search; with many orders beside few. */
export const measureOrders = async (bench: Bench, orders: number): Promise<Figure[]> => {
  const shops = [await openFilled(bench, orders / 10), await openFilled(bench, orders)];
  try {
    const ports = shops.map(({ port }) => port);
    const [, port = 0] = ports;
    const often = (times: number): number => Math.ceil(bench.isQuick ? times / 10 : times);
    const [middlePages, lastPages] = [await pagesAt(port, 0.5), await pagesAt(port, 1)];
    await measureOften(ports, [...firstPages, ...lastPages.slice(-2), ...searches], often(TIMES.warmUp));
    const [few = new Map<string, Took>(), first = new Map<string, Took>()] = await measureOften(
      ports,
      firstPages,
      often(TIMES.first),
    );
    sayAll(bench, first, few);
    const [last = new Map<string, Took>()] = await measureOften([port], lastPages, often(TIMES.first));
    sayAll(bench, last);
    const [any = new Map<string, Took>()] = await measureOften([port], middlePages, often(TIMES.any));
    sayAll(bench, any);
    const [search = new Map<string, Took>()] = await measureOften([port], searches, often(TIMES.search));
    sayAll(bench, search);
    const [lastPage, anyPage, searched] = [slowest(last), slowest(any), slowest(search)];
    return [
      ...figuresOf(orders, few, first),
      {
        work: 'the last page, with the count: p99 of the slowest',
        measured: tookText(lastPage),
        reach: `under ${LAST_PAGE_MS} ms`,
        isReached: lastPage[1].p99 < LAST_PAGE_MS,
      },
      {
        work: 'the page in the middle: p99 of the slowest',
        measured: tookText(anyPage),
        reach: `under ${ANY_PAGE_MS} ms`,
        isReached: anyPage[1].p99 < ANY_PAGE_MS,
      },
      {
        work: 'search: p99 of the slowest',
        measured: tookText(searched),
        reach: `under ${SEARCH_MS} ms`,
        isReached: searched[1].p99 < SEARCH_MS,
      },
    ];
  } finally {
    for (const shop of shops) await shop.stop();
  }
};
