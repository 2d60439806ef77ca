import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { Command, CommanderError } from 'commander';
import type { ChartedFigure } from '#contracts/figure-series.contract.ts';
import { offlineProjections } from '#projection/cli/offline-projections.ts';
import { openReports } from '#projection/cli/report/offline-reports.ts';
import { printReport } from '#projection/cli/report/print-report.ts';
import { addReport } from '#projection/cli/report/report-command.ts';
import { reportPage } from '#projection/cli/report/report-page.ts';
import { readSalesReport, type ReportSource, type SalesReport } from '#projection/cli/report/sales-report.ts';
import { loadConfig, type Config } from '#runtime/config.ts';
import { saleOf } from '#test/support/builders/sale.ts';
import { recordedEvents, type GivenEvent } from '#test/support/given.ts';
import { appendPlain } from '#test/support/plain-log.ts';
import { when } from '#test/support/refusal.ts';
import { closeEngines, openEngines } from '../../../shared-kernel/open-engines.ts';

/** What the command line says of these arguments, and how it exits; it opens nothing. */
const refused = async (...args: readonly string[]): Promise<readonly [number, string]> => {
  let said = '';
  const program = new Command().exitOverride().configureOutput({
    writeOut: (text) => (said += text),
    writeErr: (text) => (said += text),
  });
  addReport(program, () => expect.fail('nothing is to be opened'));
  try {
    await program.parseAsync(['report', ...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return [error.exitCode, said];
    throw error;
  }
  return expect.fail(`${args.join(' ')} was taken`);
};

const march = ['--from', '2026-03-01', '--to', '2026-03-31'];

describe('tillroll report', () => {
  it('says what it expects of its options', async () => {
    const cases = [
      [['--to', '2026-03-31'], "required option '--from <day>' not specified"],
      [['--from', '31.3.2026', '--to', '2026-03-31'], 'Must be a day of the calendar, such as 2026-03-31.'],
      [['--from', '2026-06-31', '--to', '2026-07-31'], 'Must be a day of the calendar'],
      [['--from', '2026-03-02', '--to', '2026-03-01'], '--to must be a day not before --from'],
      [[...march, '--compare', 'last-week'], 'Must be previous, previous-year, none, or days such as'],
      [
        [...march, '--compare', '2025-03-31..2025-03-01'],
        'Must be previous, previous-year, none, or days such as',
      ],
      [[...march, '--interval', 'year'], 'Allowed choices are day, week, month'],
    ] as const;
    for (const [args, message] of cases) {
      const [code, said] = await refused(...args);
      expect([code, said.includes(message)], said).to.deep.equal([1, true]);
    }
  });

  it('explains itself', async () => {
    const [code, said] = await refused('--help');
    expect(code).to.equal(0);
    for (const option of ['--from', '--to', '--compare', '--as-of', '--html', '--json', '--data'])
      expect(said).to.contain(option);
  });
});

const point = (day: string, value: number, comparisonValue: number | null) => ({
  date: `${day}T00:00:00Z`,
  value,
  comparisonValue,
});

const figure = (name: ChartedFigure, unit: 'amount' | 'count', changes = {}) => ({
  figure: name,
  unit,
  points: [point('2026-03-01', 900, 1000), point('2026-03-02', 334.5, null)],
  total: 1234.5,
  comparisonTotal: 1000 as number | null,
  change: 23.4 as number | null,
  ...changes,
});

const report: SalesReport = {
  store: { name: 'Tea <& Mugs>', timeZone: 'Europe/London' },
  window: { start: '2026-03-01', end: '2026-03-02' },
  comparison: { start: '2026-02-27', end: '2026-02-28' },
  interval: 'day',
  currency: 'GBP',
  asOf: '2026-04-01T09:12:00.000Z',
  figures: [
    figure('sales', 'amount'),
    figure('orders', 'count', { total: 12, comparisonTotal: 15, change: -20 }),
    figure('averageOrderValue', 'amount', { total: 0, comparisonTotal: null, change: null }),
  ],
  breakdown: [
    { figure: 'netSales', value: 1000, change: 0 },
    { figure: 'grossProfitMargin', value: 58.03, change: -2.6 },
  ],
  bestSellers: {
    byItems: [
      { id: 'mug', name: 'Mug <blue>', value: 1200 },
      { id: 'tea', name: 'Tea', value: 300 },
    ],
    bySales: [],
  },
};

describe('a report in the terminal', () => {
  it('has key figures with their change and a sparkline each', () => {
    const lines = printReport(report).split('\n');
    expect(lines.slice(0, 2)).to.deep.equal([
      'Tea <& Mugs>, 1 to 2 Mar 2026',
      'Compared with 27 to 28 Feb 2026; as of 2026-04-01 09:12 UTC, days in Europe/London',
    ]);
    const line = (title: string) =>
      lines
        .find((one) => one.trim().startsWith(title))
        ?.trim()
        .split(/ {2,}/);
    expect(line('Sales')).to.deep.equal(['Sales', '£1,234.50', '£1,000.00', '+23.4 %', '█▄']);
    expect(line('Orders')).to.deep.equal(['Orders', '12', '15', '−20 %', '█▄']);
    expect(line('Average order')).to.deep.equal(['Average order', '£0.00', '–', '–', '█▄']);
    expect(line('Net sales')).to.deep.equal(['Net sales', '£1,000.00', '±0 %']);
    expect(line('Margin')).to.deep.equal(['Margin', '58.03 %', '−2.6 pts']);
  });

  it('names the best sellers', () => {
    const text = printReport(report);
    expect(text).to.contain('Best sellers by items\n  1.   Mug <blue>   1,200\n  2.   Tea            300\n');
    expect(text).to.contain('Best sellers by sales\n  none\n');
  });

  it('shows no changes where nothing is compared', () => {
    const text = printReport({ ...report, comparison: null });
    expect(text).to.contain('Not compared').and.to.not.contain('before');
  });
});

describe('the page of a report', () => {
  const page = reportPage(report);

  it('needs no network, and runs nothing', () => {
    expect(page).to.not.match(/<script|<link|<img|@import|url\(|src=/i);
    // Names of XML vocabularies are no addresses to be loaded.
    expect(page.replaceAll('xmlns="http://www.w3.org/2000/svg"', '')).to.not.contain('http');
  });

  it('escapes what the shop is called', () => {
    expect(page).to.contain('Tea &lt;&amp; Mugs&gt;').and.to.not.contain('<& Mugs>');
  });

  it('shows key figures and their change, charts and the way to profit', () => {
    expect(page).to.contain('<p class="figure">£1,234.50</p>');
    expect(page).to.contain('<span class="down">−20 %</span> <span class="quiet">from 15</span>');
    expect(page).to.contain('nothing was sold before');
    for (const name of ['sales', 'orders', 'averageOrderValue'])
      expect(page).to.contain(`id="chart-${name}-title"`);
    expect(page).to.match(/Margin<\/th><td>58\.03 %<\/td><td>−2\.6 pts<\/td>/);
  });

  it('names the best sellers, each with a bar beside the first', () => {
    expect(page).to.match(/Mug &lt;blue&gt;<span class="bar" style="width:100%"><\/span><\/th><td>1,200</);
    expect(page).to.match(/Tea<span class="bar" style="width:25%">/);
    expect(page).to.contain('Best sellers by sales</h2><p class="quiet">None.</p>');
  });

  it('is light or dark as its reader likes it, and light on paper', () => {
    expect(page).to.contain('@media (prefers-color-scheme: dark)').and.to.contain('@media print');
  });
});

/** What is in the files of a folder. */
const contentOf = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name)).toString('base64')]),
  );

/** The index of a write-ahead log, which reading itself leaves. */
const isLeftByReading = (name: string): boolean => /-(shm|wal)$/.test(name);

/** As docs/guides/deployment.md#sqlite does it where BACKOFFICE_API_KEY is set: no read models, no backoffice.key. */
const backUp = (from: string, to: string): void => {
  mkdirSync(to);
  for (const name of ['state.db', 'events.db']) {
    const database = new DatabaseSync(join(from, name), { readOnly: true });
    database.exec(`VACUUM INTO '${join(to, name)}'`);
    database.close();
  }
  cpSync(join(from, 'keys'), join(to, 'keys'), { recursive: true });
};

describe('reports where no shop runs', () => {
  let folder: string;
  let config: Config;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tillroll-report-'));
    config = loadConfig({ env: { DATA_DIR: folder } });
    await offlineProjections.list(config);
    await append(
      ...saleOf({ day: '2026-03-02', amount: 1000 }),
      ...saleOf({ day: '2026-03-31', amount: 500, previousSaleDay: '2026-03-02' }),
      ...saleOf({ day: '2026-02-01', amount: 300 }),
    );
  });
  after(() => rmSync(folder, { recursive: true }));

  const append = async (...events: readonly GivenEvent[]): Promise<void> => {
    const engines = await openEngines(config.engines);
    for (const event of recordedEvents(events)) await appendPlain(engines.store, event.stream, [event]);
    await closeEngines(engines);
  };
  const read = async (
    wish: Partial<Parameters<typeof readSalesReport>[1]> = {},
    of = config,
  ): Promise<SalesReport> => {
    const source: ReportSource = await openReports(of);
    try {
      const window = { start: '2026-03-01', end: '2026-03-31' };
      return await readSalesReport(source, { window, compare: { compareMode: 'Previous' }, ...wish });
    } finally {
      await source.close();
    }
  };

  it('know what no read model has taken in yet, and change nothing', async () => {
    const content = () => [...contentOf(folder)].filter(([name]) => !isLeftByReading(name));
    const before = content();
    const { store, currency, interval, comparison, figures, breakdown } = await read();
    expect(store).to.deep.equal({ name: 'Tillroll', timeZone: 'UTC' });
    expect([currency, interval]).to.deep.equal(['USD', 'day']);
    expect(comparison).to.deep.equal({ start: '2026-01-29', end: '2026-02-28' });
    const [sales] = figures;
    expect(sales).to.include({ figure: 'sales', total: 15, comparisonTotal: 3, change: 400 });
    expect(sales?.points).to.have.length(31);
    expect(breakdown[0]).to.deep.equal({ figure: 'grossSales', value: 15, change: 400 });
    expect(content()).to.deep.equal(before);
  });

  it('are the same of a backup, which has no read models, and leave it as it is', async () => {
    const backup = join(folder, 'backup');
    backUp(folder, backup);
    const before = contentOf(backup);
    const { asOf: _now, ...figures } = await read();
    const { asOf: _later, ...ofBackup } = await read({}, loadConfig({ env: { DATA_DIR: backup } }));
    expect(ofBackup.figures[0]).to.include({ figure: 'sales', total: 15 });
    expect(ofBackup).to.deep.equal(figures);
    expect(contentOf(backup)).to.deep.equal(before);
  });

  it('say what to do where the application key is missing, and make none', async () => {
    const backup = join(folder, 'without-key');
    backUp(folder, backup);
    rmSync(join(backup, 'keys'), { recursive: true });
    await when(openReports(loadConfig({ env: { DATA_DIR: backup } }))).thenFails(
      Error,
      'application.key is missing or empty: put the file back or set APPLICATION_KEY',
    );
    expect([...contentOf(backup).keys()].sort()).to.deep.equal(['events.db', 'state.db']);
  });

  it('choose points that fit the days', async () => {
    const year = await read({ window: { start: '2026-01-01', end: '2026-12-31' } });
    expect([year.interval, year.figures[0]?.points.length]).to.deep.equal(['week', 53]);
    const years = await read({ window: { start: '2025-01-01', end: '2026-12-31' } });
    expect([years.interval, years.figures[0]?.points.length]).to.deep.equal(['month', 24]);
  });

  it('say what was known at a moment of the past', async () => {
    const early = await read({ asOf: '2000-01-01' });
    expect(early.asOf).to.equal('2000-01-01T23:59:59.999Z');
    expect(early.figures.map(({ total }) => total)).to.deep.equal(early.figures.map(() => 0));
    expect(early.bestSellers).to.deep.equal({ byItems: [], bySales: [] });
    await when(read({ asOf: '2999-01-01' })).thenFails(Error, 'asOf: must be 20');
  });

  it('refuse what the shop would refuse, in its words', async () => {
    const window = { start: '2010-01-01', end: '2026-12-31' };
    await when(read({ window })).thenFails(Error, 'endDate: must be a day at most 3,660 days from startDate');
  });

  it('say what to do where there is no shop', async () => {
    const empty = loadConfig({ env: { DATA_DIR: join(folder, 'nowhere') } });
    await when(openReports(empty)).thenFails(Error, 'name its folder with --data');
    const memory = loadConfig({ env: { DATA_DIR: folder, EVENT_STORE: 'memory:' } });
    await when(openReports(memory)).thenFails(Error, 'EVENT_STORE is in memory: start the shop');
  });
});
