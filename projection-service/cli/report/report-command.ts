import { InvalidArgumentError, Option, type Command } from 'commander';
import type { z } from 'zod';
import type { Interval } from '#contracts/figure-series.contract.ts';
import type { settingsResponse } from '#contracts/settings.contract.ts';
import { defined } from '#kernel/defined.ts';
import { isCalendarDay } from '#values/business-day.ts';
import type { Config } from '#runtime/config.ts';
import type { RunningShop } from '#runtime/running-shop.ts';
import type { SettingName } from '#values/store-settings.ts';
import type { Comparison, ReportSource, SalesReport } from './sales-report.ts';

/** Opens the reports of engines that no running shop on this machine answers for. */
export type OpenReports = (config: Config) => Promise<ReportSource>;

const day = (text: string): string => {
  if (isCalendarDay(text)) return text;
  throw new InvalidArgumentError('Must be a day of the calendar, such as 2026-03-31.');
};

const modes: ReadonlyMap<string, Comparison['compareMode']> = new Map([
  ['previous', 'Previous'],
  ['previous-year', 'PreviousYear'],
  ['none', 'None'],
]);

const comparison = (text: string): Comparison => {
  const compareMode = modes.get(text);
  if (compareMode) return { compareMode };
  const days = text.split('..');
  const [comparisonStartDate = '', comparisonEndDate = ''] = days;
  if (days.length === 2 && days.every(isCalendarDay) && comparisonStartDate <= comparisonEndDate)
    return { compareMode: 'Custom', comparisonStartDate, comparisonEndDate };
  throw new InvalidArgumentError(
    `Must be ${[...modes.keys()].join(', ')}, or days such as 2025-03-01..2025-03-31.`,
  );
};

interface ReportOptions {
  readonly from: string;
  readonly to: string;
  readonly compare: Comparison | true;
  readonly interval?: Interval;
  readonly asOf?: string;
  readonly html?: string;
  readonly json?: true;
  readonly data?: string;
}

const previous: Comparison = { compareMode: 'Previous' };

export const addReport = (program: Command, loadReports: () => Promise<OpenReports>): void => {
  program
    .command('report')
    .description('Key figures of some days with their change; works beside a running shop or without one')
    .requiredOption('--from <day>', 'the first day, YYYY-MM-DD', day)
    .requiredOption('--to <day>', 'the last day, YYYY-MM-DD', day)
    .addOption(
      new Option(
        '--compare [with]',
        'previous (as many days before), previous-year, none, or days: 2025-03-01..2025-03-31',
      )
        .argParser(comparison)
        .default(previous, 'previous'),
    )
    .addOption(
      new Option('--interval <interval>', 'points by day, week or month; default: as fits the days').choices([
        'day',
        'week',
        'month',
      ]),
    )
    .option(
      '--as-of <when>',
      'as the shop would have said then: the end of a day, or an instant such as 2026-03-31T18:00Z',
    )
    .option('--html <file>', 'write one page with charts, which needs no network, instead of printing')
    .option('--json', 'print one JSON document')
    .option('--data <folder>', 'where the data is kept; over DATA_DIR')
    .action(async (options: ReportOptions, command: Command) => {
      if (options.to < options.from) command.error('error: --to must be a day not before --from');
      await showReport(await read(options, loadReports), options);
    });
};

const read = async (
  { from, to, compare, interval, asOf, data }: ReportOptions,
  loadReports: () => Promise<OpenReports>,
): Promise<SalesReport> => {
  const [{ loadConfig }, { findRunningShop }, { readSalesReport }] = await Promise.all([
    import('#runtime/config.ts'),
    import('#runtime/running-shop.ts'),
    import('./sales-report.ts'),
  ]);
  const config = loadConfig(data === undefined ? {} : { overrides: { DATA_DIR: data } });
  const shop = data === undefined ? await findRunningShop(config) : null;
  const source = shop ? reportsOf(shop) : await (await loadReports())(config);
  try {
    return await readSalesReport(source, {
      window: { start: from, end: to },
      compare: compare === true ? previous : compare,
      ...defined({ interval, asOf }),
    });
  } finally {
    await source.close();
  }
};

const reportsOf = (shop: RunningShop): ReportSource => ({
  ask: (path) => shop.call('GET', path),
  store: async () => {
    const { items } = (await shop.call('GET', '/settings')) as z.output<typeof settingsResponse>;
    const valueOf = (name: SettingName): string => String(items.find(({ key }) => key === name)?.value);
    return { name: valueOf('name'), timeZone: valueOf('reportingTimeZone') };
  },
  close: () => Promise.resolve(),
});

const showReport = async (report: SalesReport, { html, json }: ReportOptions): Promise<void> => {
  if (html !== undefined) await writePage(report, html);
  if (json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  else if (html === undefined) {
    const { printReport } = await import('./print-report.ts');
    process.stdout.write(printReport(report));
  }
};

const writePage = async (report: SalesReport, file: string): Promise<void> => {
  const [{ writeFile }, { reportPage }] = await Promise.all([
    import('node:fs/promises'),
    import('./report-page.ts'),
  ]);
  try {
    await writeFile(file, reportPage(report));
  } catch (error) {
    throw new Error(`The report could not be written to ${file}: ${(error as Error).message}`);
  }
  process.stderr.write(`The report is in ${file}: open it in a browser.\n`);
};
