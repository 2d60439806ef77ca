import { sparkline } from '#charts/sparkline.ts';
import { table } from '#charts/text-table.ts';
import {
  comparedPeriodOf,
  keyFiguresOf,
  lineTitleOf,
  periodOf,
  productListsOf,
  shownChange,
  shownInstant,
  shownLine,
  shownLineChange,
  shownValue,
  titleOf,
  type ProductList,
} from './report-words.ts';
import type { SalesReport } from './sales-report.ts';

const headline = (report: SalesReport): string => {
  const compared = comparedPeriodOf(report);
  const days = report.store.timeZone === 'UTC' ? '' : `, days in ${report.store.timeZone}`;
  return (
    `${report.store.name}, ${periodOf(report)}\n` +
    `${compared === null ? 'Not compared' : `Compared with ${compared}`}; ` +
    `as of ${shownInstant(report.asOf)}${days}\n`
  );
};

const keyFigures = (report: SalesReport): string => {
  const { comparison, currency, interval } = report;
  const isCompared = comparison !== null;
  const head = ['', 'now', ...(isCompared ? ['before', 'change'] : []), `by ${interval}`];
  const rows = keyFiguresOf(report).map((figure) => [
    titleOf(figure),
    shownValue(figure.total, figure, currency),
    ...(isCompared ? [shownValue(figure.comparisonTotal, figure, currency), shownChange(figure.change)] : []),
    sparkline(figure.points.map(({ value }) => value)),
  ]);
  return table(
    [head, ...rows],
    ['left', 'right', ...(isCompared ? (['right', 'right'] as const) : []), 'left'],
  );
};

const profit = ({ breakdown, comparison, currency }: SalesReport): string =>
  table(
    breakdown.map((line) => [
      lineTitleOf(line),
      shownLine(line, currency),
      ...(comparison ? [shownLineChange(line)] : []),
    ]),
    ['left', 'right', ...(comparison ? (['right'] as const) : [])],
  );

const sold = ({ title, products, shown }: ProductList): string => {
  if (products.length === 0) return `${title}\n  none\n`;
  const rows = products.map(({ name, value }, place) => [`${place + 1}.`, name, shown(value)]);
  return `${title}\n${table(rows, ['right', 'left', 'right'])}`;
};

/** A report for the terminal. */
export const printReport = (report: SalesReport): string =>
  [
    headline(report),
    keyFigures(report),
    ...productListsOf(report).map(sold),
    `From gross sales to profit\n${profit(report)}`,
  ].join('\n');
