import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { dispatcherPlan } from '#dispatcher/main.ts';
import { fillReadModels } from '#projection/fill-read-models.ts';
import { simulateInEngines, simulateShop } from '#command/simulation/simulate-shop.ts';
import { chartOf, runSimulation, summaryOf, type SimulationReport } from '#command/cli/simulate.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { StoredEvent } from '#ports/event-store.ts';
import { loadConfig, type Config } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { silentLogger } from '#runtime/logging.ts';
import { auditShop } from '#test/support/audit-shop.ts';
import { faultyEventStore } from '#test/support/faults.ts';
import { categoryOf } from '#values/stream-name.ts';
import { closeEngines, openEngines } from '../../../shared-kernel/open-engines.ts';
import { openShop } from '../../../tillroll.ts';

const now = Date.UTC(2026, 5, 12, 15, 20);
const others = { fillReadModels, dispatcherPlan };
const size = { orders: 60, days: 5, seed: 1 };
const unwatched = { onProgress: () => undefined, onReplay: () => undefined };

const configOf = (dataDir: string): Config =>
  loadConfig({
    env: { DATA_DIR: dataDir, LOG_LEVEL: 'silent', BACKOFFICE_API_KEY: 'a-key-for-simulations' },
  });

const simulateIn = async (dataDir: string, seed = size.seed): Promise<SimulationReport> => {
  const config = configOf(dataDir);
  const keys = loadKeys(config);
  const engines = await openEngines(config.engines);
  return simulateInEngines({ config, keys, engines, ...size, seed, webhook: null, now }, unwatched, others);
};

const logOf = async (dataDir: string): Promise<readonly StoredEvent[]> => {
  const engines = await openEngines(configOf(dataDir).engines, { readOnly: true });
  const { store } = engines;
  const events: StoredEvent[] = [];
  for (let after = 0; ;) {
    const page = await store.readAll(after);
    events.push(...page);
    const last = page.at(-1);
    if (!last) break;
    after = last.position;
  }
  await closeEngines(engines);
  return events;
};

const recordedAt = ({ metadata }: StoredEvent): string =>
  (JSON.parse(metadata) as { recordedAt: string }).recordedAt;

/** What happened when to which basket, which invoice and which checkout that was left. */
const storiesOf = (log: readonly StoredEvent[]): Readonly<Record<string, readonly string[]>> => {
  const told = log.filter(({ stream }) =>
    ['abandonedCheckout', 'basket', 'invoice'].includes(categoryOf(stream)),
  );
  const streams = Map.groupBy(told, ({ stream }) => stream);
  const lines = (events: readonly StoredEvent[]) =>
    events.map((event) => `${event.type} ${recordedAt(event)}`);
  return Object.fromEntries([...streams].map(([stream, events]) => [stream, lines(events)]));
};

const contentIn = ({ data }: StoredEvent): InvoiceContent | { readonly $asAt: number } =>
  (JSON.parse(data) as { content: InvoiceContent | { readonly $asAt: number } }).content;

/** What was sold, without the ids that are chosen again each time; most sales leave it to the event before them. */
const salesOf = (log: readonly StoredEvent[]) =>
  log
    .filter(({ type }) => type === 'SaleConfirmed')
    .map((sale) => {
      const { stream } = sale;
      const said = contentIn(sale);
      const made = log.find((event) => event.stream === stream && event.type === 'InvoiceCreated');
      const content = ('$asAt' in said ? made && contentIn(made) : said) as InvoiceContent;
      const orders = content.orders.map(({ orderId, warehouseId, shippingCost, lines }) => ({
        orderId,
        warehouseId,
        shippingCost,
        lines: lines.map(({ sku, quantity, addons = [] }) =>
          [`${quantity} ${sku}`, ...addons.map((addon) => addon.sku)].join(' with '),
        ),
      }));
      const { amounts, businessDay, currency, channel, source, amountsInStoreCurrency: inStore } = content;
      return { stream, businessDay, amounts, inStore, currency, channel, source, orders };
    })
    .sort((one, other) => (one.stream < other.stream ? -1 : 1));

/** What events that change a sale say of it. */
interface Told {
  readonly difference?: { readonly amounts: { readonly total: number } };
  readonly givenBackInStoreCurrency?: number;
}

describe('A simulated shop', () => {
  let folder: string;
  let dataDir: string;
  let report: SimulationReport;
  let log: readonly StoredEvent[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tillroll-simulation-'));
    dataDir = join(folder, 'first');
    report = await simulateIn(dataDir);
    log = await logOf(dataDir);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const count = (type: string): number => log.filter((event) => event.type === type).length;

  it('has as many paid orders as were asked for, and nobody was turned away', () => {
    expect(report.counters.orders).to.equal(size.orders);
    expect(report.counters.refused).to.deep.equal({});
    expect(count('SaleConfirmed')).to.equal(size.orders + report.staff.phoneOrders + report.wonBack.bought);
  });

  it('has a log, stock, payments, read models and reports that agree', async () => {
    const audit = await auditShop({ dataDir });
    expect(audit.problems).to.deep.equal([]);
    expect(audit.sales).to.equal(count('SaleConfirmed'));
    expect(audit.events).to.equal(report.events);
  });

  it('leaves its first start nothing of the log to read', async () => {
    const config = configOf(dataDir);
    const engines = await openEngines(config.engines);
    const store = faultyEventStore(engines.store);
    const pages: number[] = [];
    const readAll: typeof store.readAll = (after, limit) => {
      if (limit !== 1) pages.push(after);
      return store.readAll(after, limit);
    };
    const shop = await openShop({
      config,
      keys: loadKeys(config),
      engines: { ...engines, store: { ...store, readAll } },
      log: silentLogger(),
    });
    await shop.prepare();
    const readByStart = [...pages];
    // It seals the log as it stops, and reads it for that.
    await shop.stop();
    expect(readByStart).to.deep.equal([]);
  });

  it('has everything that shoppers do in its log', () => {
    const types = [
      'BasketCleared',
      'PaymentDeclined',
      'StockAdjusted',
      'CustomerRegistered',
      'PaymentRefunded',
      'UpsellConverted',
    ];
    for (const type of types) expect(count(type), type).to.be.above(0);
    expect(count('BasketStarted')).to.be.above(size.orders);
    expect(count('InvoiceCreated')).to.be.above(size.orders);
    const lines = salesOf(log).flatMap(({ orders }) => orders.flatMap((order) => order.lines));
    expect(lines.filter((line) => line.includes(' with '))).to.have.length.above(0);
  });

  it('is in the past, in the order of time, over all its days up to the last full hour', () => {
    const times = log.map(recordedAt);
    expect(times).to.deep.equal([...times].sort());
    expect(times[0]).to.equal('2026-06-07T15:00:00.000Z');
    expect(times.at(-1)?.slice(0, 10)).to.equal('2026-06-12');
    expect((times.at(-1) ?? '') < '2026-06-12T15:00:00.000Z').to.equal(true);
    const days = new Set(salesOf(log).map(({ businessDay }) => businessDay));
    expect(days.size).to.be.at.least(5);
  });

  it('adds up to the months of the reports, before and after goods came back', () => {
    const sold = new Set(log.filter(({ type }) => type === 'SaleConfirmed').map(({ stream }) => stream));
    const ofSales = (type: string) => log.filter((event) => event.type === type && sold.has(event.stream));
    const cancelled = new Set(ofSales('InvoiceCancelled').map(({ stream }) => stream));
    const stands = ({ stream }: Pick<StoredEvent, 'stream'>): boolean => !cancelled.has(stream);
    const sumOf = (type: string, amountIn: (data: Told) => number): number =>
      ofSales(type)
        .filter(stands)
        .reduce((sum, { data }) => sum + amountIn(JSON.parse(data) as Told), 0);
    const edited = sumOf('InvoiceEdited', ({ difference }) => difference?.amounts.total ?? 0);
    const givenBack = sumOf(
      'PaymentRefunded',
      ({ givenBackInStoreCurrency = 0 }) => givenBackInStoreCurrency,
    );
    const total = salesOf(log)
      .filter(stands)
      .reduce((sum, { inStore }) => sum + inStore.total, 0);
    expect([report.staff.cancelled, report.staff.edited]).to.deep.equal([
      cancelled.size,
      ofSales('InvoiceEdited').length,
    ]);
    const month = ['2026-06', sold.size - cancelled.size];
    for (const months of [report.months, report.afterReturns])
      expect(months.map(({ month: name, orders }) => [name, orders])).to.deep.equal([month]);
    const [before, after] = [report.months, report.afterReturns].map((months) =>
      Math.round((months[0]?.sales ?? 0) * 100),
    );
    expect(report.staff.returns).to.be.above(0);
    expect(after).to.equal(total + edited - givenBack);
    expect(after).to.be.below(before ?? 0);
  });

  it('sells in several currencies, to people on the telephone too', () => {
    const currencies = new Set(salesOf(log).map(({ currency }) => currency));
    expect(currencies.size).to.be.above(2);
    expect(report.staff.phoneOrders).to.be.above(0);
    expect(salesOf(log).filter(({ channel }) => channel === 'Manual order')).to.have.length(
      report.staff.phoneOrders,
    );
  });

  it('sells to some through an agent, and their sales say so', () => {
    const { throughAgents } = report.counters;
    expect(throughAgents).to.be.above(0);
    expect(count('AgentSessionCompleted')).to.equal(throughAgents);
    const ofAgents = salesOf(log).filter(({ source }) => source.type === 'ucp');
    expect(ofAgents).to.have.length(throughAgents);
    for (const { source } of ofAgents)
      expect(source).to.deep.include({
        displayName: 'Example Assistant',
        sourceId: 'https://assistant.example/profile.json',
      });
  });

  it('finds checkouts abandoned, to which some come back by their link, and some of these buy', () => {
    const { abandoned, cameBack, bought } = report.wonBack;
    expect([
      count('CheckoutAbandoned'),
      count('CheckoutRecovered'),
      count('CheckoutConverted'),
    ]).to.deep.equal([abandoned, cameBack, bought]);
    expect(bought).to.be.above(0);
    expect(cameBack).to.be.at.least(bought);
    expect(abandoned).to.be.above(cameBack);
    for (const recovered of log.filter(({ type }) => type === 'CheckoutRecovered')) {
      const { stream } = recovered;
      const [left] = log.filter((event) => event.stream === stream && event.type === 'CheckoutAbandoned');
      expect(left && recordedAt(left) < recordedAt(recovered)).to.equal(true);
    }
  });

  it('is the same for the same seed, and another for another', async () => {
    await simulateIn(join(folder, 'again'));
    const again = await logOf(join(folder, 'again'));
    expect(storiesOf(again)).to.deep.equal(storiesOf(log));
    expect(salesOf(again)).to.deep.equal(salesOf(log));
    await simulateIn(join(folder, 'other'), 2);
    expect(salesOf(await logOf(join(folder, 'other')))).not.to.deep.equal(salesOf(log));
  });

  it('begins with an empty log only, and says what to do', async () => {
    const refusal = await simulateShop(others)(configOf(dataDir), size, unwatched).catch(
      (error: Error) => error.message,
    );
    expect(refusal).to.match(/already.*empty.*Delete that folder, or name another one with --data/);
    expect(await logOf(dataDir)).to.have.length(report.events);
  });

  it('is kept where that is asked for, so that the demo opens the same shop a second time', async () => {
    const said = await runSimulation(simulateShop(others), configOf(dataDir), { ...size, keep: true });
    expect(said).to.equal(
      `Kept the log of ${report.events} events that is in ${dataDir}. For a new one delete that folder first.\n`,
    );
    expect(await logOf(dataDir)).to.have.length(report.events);
  });

  it('says that it was interrupted, kept or refused, until one has come to its end', async () => {
    const config = configOf(join(folder, 'interrupted'));
    const interrupted = {
      ...unwatched,
      onProgress: () => {
        throw new Error('interrupted');
      },
    };
    const again = (watcher = unwatched) =>
      simulateShop(others)(config, size, watcher).then(
        () => 'done',
        ({ message }: Error) => message,
      );
    expect(await again(interrupted)).to.equal('interrupted');
    expect(await again()).to.match(/ events of a simulation that was interrupted in .*Delete that folder/);
    const said = await runSimulation(simulateShop(others), config, { ...size, keep: true });
    expect(said).to.match(
      /^Kept .* that was interrupted .* Later days and orders are missing\. For a new one/,
    );
    await rm(config.dataDir, { recursive: true });
    expect(await again()).to.equal('done');
    expect(await again()).to.match(/ events in .* already/);
  });
});

describe('The summary of a simulation', () => {
  const months = [
    { month: '2026-04', orders: 900, sales: 50_000 },
    { month: '2026-05', orders: 1200, sales: 100_000.5 },
  ];

  it('draws the months in proportion', () => {
    const [april = '', may = ''] = chartOf(months, 'USD').split('\n');
    expect(april.match(/#/g)).to.have.length(20);
    expect(may.match(/#/g)).to.have.length(40);
    expect(may).to.contain('100,000.50 USD  1,200 orders');
    expect(april.length).to.equal(may.length);
  });

  it('says what came of the visits', () => {
    const refused = { 'cannot-ship': 2 };
    const counters = { visits: 4000, orders: 2100, throughAgents: 104, left: 1800, declined: 98, refused };
    const staff = { phoneOrders: 40, shipped: 1900, cancelled: 30, edited: 40, refunds: 110, returns: 90 };
    const wonBack = { abandoned: 400, cameBack: 80, bought: 41 };
    const report = {
      counters,
      wonBack,
      staff,
      months,
      afterReturns: months,
      currency: 'USD',
      events: 50_000,
    };
    const text = summaryOf(report, 10);
    expect(text).to.contain(
      '2,100 orders from 4,000 visits in 10.0 s (210 orders/s); 50,000 events in the log.',
    );
    expect(text).to.contain('Sales by month after 90 returns (110 refunds in all):');
    expect(text).to.contain('by telephone: 40; through agents: 104;');
    expect(text).to.contain('sent off: 1,900; cancelled: 30; edited: 40');
    expect(text).to.contain('abandoned checkouts: 400; back by their link: 80, of whom 41 bought');
    expect(text).to.contain('turned away by the shop: 2 × cannot-ship');
  });

  it('draws no bar for a month without sales', () => {
    expect(chartOf([{ month: '2026-04', orders: 0, sales: 0 }], 'JPY')).to.contain('0 JPY  0 orders');
  });
});
