import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { offlineProjections } from '#projection/cli/offline-projections.ts';
import { openReports } from '#projection/cli/report/offline-reports.ts';
import { readSalesReport, type ReportSource, type SalesReport } from '#projection/cli/report/sales-report.ts';
import { loadConfig, type Config } from '#runtime/config.ts';
import { saleOf } from '#test/support/builders/sale.ts';
import { recordedEvents, type GivenEvent } from '#test/support/given.ts';
import { appendPlain } from '#test/support/plain-log.ts';
import { when } from '#test/support/refusal.ts';
import { closeEngines, openEngines } from '../../../shared-kernel/open-engines.ts';

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

  it('are of the shop as its configuration names it', async () => {
    const env = {
      DATA_DIR: folder,
      Store__name: 'Harbour & Kiln',
      Store__reportingTimeZone: 'Europe/London',
    };
    const { store } = await read({}, loadConfig({ env }));
    expect(store).to.deep.equal({ name: 'Harbour & Kiln', timeZone: 'Europe/London' });
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

  it('are refused where settings cannot be read, which decide on currency and days', async () => {
    const copy = join(folder, 'with-unreadable-settings');
    backUp(folder, copy);
    const damaged = loadConfig({ env: { DATA_DIR: copy } });
    const engines = await openEngines(damaged.engines);
    const event = { type: 'StoreSettingsChanged', data: null };
    const position = await appendPlain(engines.store, 'settings-store', [event]);
    await closeEngines(engines);
    await when(openReports(damaged)).thenFails(Error, `reference state stopped at position ${position}: `);
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
