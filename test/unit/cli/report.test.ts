import { expect } from 'chai';
import { Command, CommanderError } from 'commander';
import type { ChartedFigure } from '#contracts/figure-series.contract.ts';
import { printReport } from '#projection/cli/report/print-report.ts';
import { addReport } from '#projection/cli/report/report-command.ts';
import { reportPage } from '#projection/cli/report/report-page.ts';
import type { SalesReport } from '#projection/cli/report/sales-report.ts';

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
      [[...march, '--compare', 'constructor'], 'Must be previous, previous-year, none, or days such as'],
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
