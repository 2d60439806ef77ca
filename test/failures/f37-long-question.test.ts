import { createProtocolManager } from '#agents/protocol-manager.ts';
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pino from 'pino';
import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import { openSqliteEventStore } from '#adapters/sqlite/sqlite-event-store.ts';
import { createIdentity } from '#http/identity.ts';
import { createApp } from '#http/mount.ts';
import { memoryEngines } from '#runtime/config-engines.ts';
import { readUpsellDays } from '#runtime/upsell-days.ts';
import { createTokens } from '#runtime/tokens.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { OrderDocument } from '#projection/contexts/orders/order.document.ts';
import { orderCounters } from '#projection/contexts/orders/order-counters.ts';
import { receivablesProjection } from '#projection/contexts/customers/receivables.projection.ts';
import type { DayTotals } from '#projection/contexts/reporting/day-totals.ts';
import { monthOf, type JournalEntry } from '#projection/contexts/reporting/sales-journal.projection.ts';
import { countersCollection, type ViewCounters } from '#projection/engine/view-counters.ts';
import { createExports } from '#projection/engine/exports/open-export.ts';
import { readInThread } from '#projection/engine/exports/page-readers.ts';
import { createReader } from '#projection/engine/reader.ts';
import { projectionsOf, queriesOf } from '#projection/engine/join-modules.ts';
import { modules } from '#projection/modules.ts';
import { freshOwnKeys } from '#test/support/own-keys.ts';
import { createReference } from '#reference/create-reference.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { watchingTheLoop } from '#test/support/watched-loop.ts';
import { agentStepWith } from '#test/support/agent-step.ts';
import { Api } from '#test/support/api.ts';
import { plainDecoder } from '#test/support/plain-log.ts';
import { storedViews } from '#test/support/stored-views.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');
const orders = 100_000;
const days = 3660;
/** Returning customers of a day, each from another day. */
const customersADay = 250;
const events = 12_000;
/** Milliseconds. */
const longestHold = 50;

/** So many days ago. */
const dayAt = (index: number): string => new Date(now - index * 86_400_000).toISOString().slice(0, 10);
const exportReading = new URL('../../projection-service/export-reading.ts', import.meta.url);

const LINE_FEED = 10;

const collectionOf = (view: string): string => `${view}_v1_a`;

const amounts = { subTotal: 100, discount: 0, shipping: 0, tax: 0, total: 100 };
const content = JSON.stringify({
  ...{ channel: 'Online Store', source: { type: 'web', sourceName: null }, itemCount: 1, orders: [] },
  ...{ storeCurrency: 'GBP', currency: 'GBP', amounts, amountsInStoreCurrency: amounts },
});

/** Rows as a projection would have written them, but at the speed of the file. */
const fillOrders = (db: DatabaseSync): void => {
  db.exec(`
    INSERT INTO ${collectionOf('orders')} (id, position, removed, doc)
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${orders})
    SELECT printf('order-%07d', n), n, 0, json_object(
      '_id', printf('order-%07d', n), 'invoiceNumber', printf('INV-%07d', n),
      'dateCreated', printf('2026-01-01T00:00:00.%07dZ', n), 'dateUpdated', '2026-01-01T00:00:00Z',
      'customerId', printf('customer-%d', n % 1000), 'customerName', 'Ada', 'searchText', printf('inv-%07d ada', n),
      'content', json('${content}'), 'confirmedAt', '2026-01-01T00:00:00Z', 'cancellation', NULL, 'cancellationStatus', 'active',
      'statuses', json_array('Completed'), 'statusSet', 'Completed', 'fulfillmentStatus', 'Fulfilled',
      'businessDay', '2026-03-01', 'balance', json_object('paymentStatus', 'AwaitingPayment'),
      'totalInStoreCurrency', 100, 'receivable', 'open', 'outstandingInStoreCurrency', 100
    ) FROM numbers`);
};

/** What the projections would have counted meanwhile: each order is owed, a hundred on each of many days. */
const countOrders = async (store: DocumentStore): Promise<void> => {
  const [order] = await store.find<OrderDocument>(collectionOf('orders'), { limit: 1 });
  if (!order) throw new Error('no order was filled in');
  const figures = Object.entries(orderCounters(order)).map(([name, figure]) => [name, figure * orders]);
  const ofOrders: ViewCounters = { _id: collectionOf('orders'), figures: Object.fromEntries(figures) };
  const byDueDay = Object.fromEntries(
    Array.from({ length: orders / 100 }, (_, index) => [dayAt(index), { amount: 10_000, invoices: 100 }]),
  );
  const owed = receivablesProjection.counters?.({ _id: '2026-03-01', byDueDay }) ?? {};
  const ofReceivables: ViewCounters = { _id: collectionOf('receivables'), figures: owed };
  await store.write(
    [ofOrders, ofReceivables].map((counters) => ({ collection: countersCollection, put: counters })),
  );
  // With a write of the store's own to the collection, its index of texts takes in what was filled in past it.
  await store.write([{ collection: collectionOf('orders'), put: order }]);
};

const fillJournal = (db: DatabaseSync): void => {
  const put = db.prepare(
    `INSERT INTO ${collectionOf('salesJournal')} (id, position, removed, doc) VALUES (?, 1, 0, ?)`,
  );
  // The last purchase of each customer was 20 days before that of the next: t is the 20th letter, 5,000 days are gjh.
  const byDaysSince = `gjh1${'t1'.repeat(customersADay - 1)}`;
  const totals: DayTotals = {
    sales: { grossSales: 100, total: 100, invoices: 250, items: 1 },
    ordersFulfilled: 1,
    customers: { again: customersADay, byDaysSince },
  };
  const months = Map.groupBy(
    Array.from({ length: days }, (_, index) => dayAt(index)),
    monthOf,
  );
  db.exec('BEGIN');
  for (const [month, ofMonth] of months) {
    const entry: JournalEntry = {
      ...{ _id: `all month ${month} ${month}`, scope: 'all', businessMonth: month, recorded: month },
      firstBuyers: 0,
      days: Object.fromEntries(ofMonth.map((day) => [day, totals])),
    };
    put.run(entry._id, JSON.stringify(entry));
  }
  db.exec('COMMIT');
};

/** Events that nobody would like to read through, a few kilobytes each. */
const fillLog = async (log: EventStore): Promise<void> => {
  const data = JSON.stringify({ note: 'x'.repeat(4000) });
  const metadata = JSON.stringify({ schemaVersion: 1, recordedAt: '2026-01-01T00:00:00Z' });
  for (let from = 0; from < events; from += 1000) {
    const batch = Array.from({ length: 1000 }, (_, index) => ({
      id: `event-${from + index}`,
      type: 'NoteTaken',
      data,
      metadata,
    }));
    await log.append('notes-1', from - 1, batch);
  }
};

describe('F37 long question: whatever somebody asks, nobody else waits for the answer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-f37-'));
  let store: DocumentStore;
  let base: string;
  let close: () => Promise<void>;

  before(async () => {
    const file = join(folder, 'read.db');
    const filling = await openSqliteDocumentStore({ file });
    for (const { name, indexes } of projectionsOf(modules))
      await filling.declare(collectionOf(name), indexes);
    await filling.close();
    const db = new DatabaseSync(file);
    fillOrders(db);
    fillJournal(db);
    db.close();
    store = await openSqliteDocumentStore({ file });
    await countOrders(store);
    const log = await openSqliteEventStore({ file: join(folder, 'events.db') });
    await fillLog(log);
    const reference = createReference();
    const reader = createReader({ readStore: store, engine: storedViews(collectionOf) });
    const engines = { ...memoryEngines, read: { kind: 'sqlite', file } } as const;
    const pages = readInThread(exportReading, { engines, applicationKey: Buffer.alloc(32) });
    const app = createApp({
      routes: queriesOf(modules, {
        engine: {
          status: () => [],
          askRebuild: () => Promise.resolve(),
          cancelRebuild: () => Promise.resolve(false),
          rebuilds: async () => new Map(),
        },
        reader,
        exports: createExports({ reader, pages }),
        store: log,
        readStore: store,
        moments: { of: () => Promise.reject(new Error('asked about now only')) },
        explanations: { reads: () => [], why: () => Promise.reject(new Error('not asked')) },
        waitForPosition: async () => null,
        formerLag: () => null,
        reference,
        ownKeys: freshOwnKeys(),
        settings: () => ({ ...defaultStoreSettings, storeCurrencyCode: 'GBP' }),
        clock: { now: () => now },
        upsellDays: readUpsellDays(store),
        namedRateProvider: null,
        ucp: null,
        protocols: createProtocolManager(),
        agentBaseUrl: '',
        stateStore: store,
        downloadUrlOf: ({ linkId }) => linkId,
        recoveryLinkOf: ({ recordId }) => recordId,
        orderLinkOf: (invoiceId) => invoiceId,
        decoder: plainDecoder(),
      }),
      settings: { publicBaseUrl: null, trustedProxies: 0, secureCookies: false },
      identity: createIdentity({
        backofficeApiKey: 'key',
        tokens: createTokens(Buffer.alloc(32), () => now),
        testingSecret: null,
        findUser: async () => null,
        memberTokens: createTokens(Buffer.alloc(32), () => now, 'member'),
        findMember: async () => null,
        hasPaid: () => false,
        agents: agentStepWith(),
      }),
      idempotency: { run: async (_call, run) => run('none') },
      baskets: Api.baskets,
      fingerprint: () => '',
      clock: { now: () => now },
      log: pino({ enabled: false }),
    });
    const server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/backoffice/api/v1`;
    close = async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await pages.close();
      await store.close();
      await log.close();
    };
  });
  after(async () => {
    await close();
    rmSync(folder, { recursive: true });
  });

  const ask = async (path: string) => {
    const answer = await fetch(`${base}${path}`, { headers: { Authorization: 'Bearer key' } });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  /** Twice: the first time code is compiled too. */
  const expectQuick = async (path: string): Promise<Record<string, unknown>> => {
    await ask(path);
    const { answer, longestTurn } = await watchingTheLoop(() => ask(path));
    expect(answer.status, path).to.equal(200);
    expect(longestTurn, `${path} held the event loop, in ms`).to.be.below(longestHold);
    return answer.body;
  };

  it('a search through every order', async () => {
    expect(await expectQuick('/orders?search=0054321')).to.deep.include({ totalItems: 1 });
    expect(await expectQuick('/orders?search=nobody&cancellationStatus=all')).to.deep.include({
      totalItems: 0,
    });
  });

  it('a page in the middle, a filter that no index serves, the largest page', async () => {
    expect(await expectQuick(`/orders?page=${orders / 100}`)).to.deep.include({ totalItems: orders });
    expect(await expectQuick('/orders?status=OnHold&sortBy=total')).to.deep.include({ totalItems: 0 });
    expect(await expectQuick('/orders?pageSize=200')).to.deep.include({ pageSize: 200 });
  });

  it('the statistics of a shop to which everybody owes something', async () => {
    expect(await expectQuick('/orders/stats')).to.deep.include({
      outstandingInvoiceCount: orders,
      overdueInvoiceCount: orders - 100,
      totalOutstandingValue: orders,
      ordersFulfilledToday: orders,
    });
  });

  it('reports over ten years; over centuries they are refused, and a series shows its first two years', async () => {
    const tenYears = 'startDate=2016-02-23&endDate=2026-03-01';
    for (const report of ['summary', 'breakdown']) {
      const found = await expectQuick(`/reporting/${report}?${tenYears}&compareMode=PreviousYear`);
      expect(found).to.deep.include({ grossSales: days });
      const centuries = await ask(`/reporting/${report}?startDate=1000-01-01&endDate=2999-12-31`);
      expect(centuries.status).to.equal(400);
    }
    const series = await expectQuick(
      '/reporting/sales-timeseries-with-totals?startDate=1000-01-01&endDate=2999-12-31',
    );
    expect(series['dataPoints']).to.have.length(730);
  });

  it('the log, for events of which there are none, and for as many as there may be at once', async () => {
    const since = 'from=2026-01-01';
    expect(await expectQuick(`/audit/events?${since}&type=NothingOfTheKind`)).to.deep.include({ events: [] });
    expect(await expectQuick('/audit/events?stream=notes-1&type=NothingOfTheKind')).to.deep.include({
      events: [],
    });
    const page = await expectQuick(`/audit/events?${since}&limit=1000`);
    expect(page['events']).to.be.an('array').that.is.not.empty;
    expect(page['next']).to.be.a('number');
  });

  it('an export of every order, which is read in a thread of its own', async () => {
    const countRows = async (fromDate: string): Promise<number> => {
      const answer = await fetch(
        `${base}/orders/export?fromDate=${fromDate}&toDate=2026-03-01&format=ndjson`,
        {
          method: 'POST',
          headers: { Authorization: 'Bearer key' },
        },
      );
      let rows = 0;
      for await (const chunk of answer.body ?? [])
        for (const byte of chunk as Uint8Array) if (byte === LINE_FEED) rows++;
      return rows;
    };
    expect(await countRows('2026-02-01')).to.equal(0);
    const { answer: rows, longestTurn } = await watchingTheLoop(() => countRows('2026-01-01'));
    expect(rows).to.equal(orders);
    expect(longestTurn, 'it held the event loop, in ms').to.be.below(longestHold);
  });

  it('while what is short is answered at once: a search under way holds up no document and no page', async () => {
    const ended: string[] = [];
    const searching = ask('/orders?search=nobody').then(() => ended.push('search'));
    const order = await store.get(collectionOf('orders'), 'order-0000001');
    const newest = {
      filter: { cancellationStatus: 'active' },
      sort: [['dateCreated', -1]],
      limit: 50,
    } as const;
    const page = await store.find(collectionOf('orders'), newest);
    ended.push('short');
    await searching;
    expect(order).to.include({ invoiceNumber: 'INV-0000001' });
    expect(page).to.have.length(50);
    expect(ended).to.deep.equal(['short', 'search']);
  });
});
