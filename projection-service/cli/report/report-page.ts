import { escapeHtml } from '#values/escape-html.ts';
import { lineChart } from '#charts/line-chart.ts';
import { sparklineImage } from '#charts/sparkline.ts';
import {
  comparedPeriodOf,
  figuresNamed,
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
import type { ReportedFigure, ReportedLine, SalesReport } from './sales-report.ts';
import { figuresPage } from '#charts/figures-page.ts';

type FigureName = ReportedFigure['figure'];

const shownAsCharts: readonly FigureName[] = [
  'orders',
  'averageOrderValue',
  'newCustomers',
  'returningCustomers',
];

/** More is better of what is shown on cards. */
const toneOf = (change: number | null): string =>
  change === null || change === 0 ? 'same' : change > 0 ? 'up' : 'down';

const changeOf = (figure: ReportedFigure, { currency, comparison }: SalesReport): string => {
  if (comparison === null) return '';
  if (figure.comparisonTotal === null) return '<p class="change quiet">nothing was sold before</p>';
  const before = shownValue(figure.comparisonTotal, figure, currency);
  return (
    `<p class="change"><span class="${toneOf(figure.change)}">${shownChange(figure.change)}</span> ` +
    `<span class="quiet">from ${escapeHtml(before)}</span></p>`
  );
};

const card = (figure: ReportedFigure, report: SalesReport): string => {
  const title = titleOf(figure);
  const values = figure.points.map(({ value }) => value);
  return (
    `<article class="card"><h2>${title}</h2>` +
    `<p class="figure">${escapeHtml(shownValue(figure.total, figure, report.currency))}</p>` +
    `${changeOf(figure, report)}${sparklineImage(values, `${title} by ${report.interval}`)}</article>`
  );
};

const chart = (figure: ReportedFigure, report: SalesReport, size: 'wide' | 'half'): string =>
  `<section class="panel ${size}"><h2>${titleOf(figure)} <span class="quiet">by ${report.interval}</span></h2>` +
  lineChart({
    id: `chart-${figure.figure}`,
    title: `${titleOf(figure)} by ${report.interval}`,
    points: figure.points,
    interval: report.interval,
    currency: figure.unit === 'amount' ? report.currency : null,
    legend: { now: periodOf(report), before: comparedPeriodOf(report) },
    size,
  }) +
  '</section>';

const sums: ReadonlySet<ReportedLine['figure']> = new Set(['netSales', 'total', 'grossProfit']);

const profit = ({ breakdown, comparison, currency }: SalesReport): string => {
  const rows = breakdown.map((line) => {
    const change = comparison ? `<td>${shownLineChange(line)}</td>` : '';
    return (
      `<tr${sums.has(line.figure) ? ' class="sum"' : ''}><th scope="row">${lineTitleOf(line)}</th>` +
      `<td>${escapeHtml(shownLine(line, currency))}</td>${change}</tr>`
    );
  });
  const heads = ['', 'Amount', ...(comparison ? ['Change'] : [])];
  const head = heads.map((text) => (text === '' ? '<td></td>' : `<th scope="col">${text}</th>`)).join('');
  return (
    '<section class="panel"><h2>From gross sales to profit</h2>' +
    `<table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></section>`
  );
};

const sold = ({ title, products, shown }: ProductList): string => {
  const most = Math.max(...products.map(({ value }) => value), 1);
  const rows = products.map(({ name, value }) => {
    const share = Math.max(0, Math.round((value / most) * 100));
    return (
      `<tr><th scope="row">${escapeHtml(name)}<span class="bar" style="width:${share}%"></span></th>` +
      `<td>${escapeHtml(shown(value))}</td></tr>`
    );
  });
  const list =
    rows.length === 0
      ? '<p class="quiet">None.</p>'
      : `<table class="sold"><tbody>${rows.join('')}</tbody></table>`;
  return `<section class="panel"><h2>${title}</h2>${list}</section>`;
};

/** A report as one page that needs no network: no script, nothing from elsewhere. */
export const reportPage = (report: SalesReport): string => {
  const { store, currency, asOf } = report;
  const compared = comparedPeriodOf(report);
  const [sales] = figuresNamed(report, ['sales']);
  const charts = figuresNamed(report, shownAsCharts).map((figure) => chart(figure, report, 'half'));
  const title = `${store.name}: ${periodOf(report)}`;
  return figuresPage(
    title,
    `<header><p class="store">${escapeHtml(store.name)}</p><h1>${periodOf(report)}</h1>
<p class="quiet">${compared === null ? '' : `Compared with ${compared}. `}Amounts in ${currency}.</p></header>
<main>
<div class="cards">${keyFiguresOf(report)
      .map((figure) => card(figure, report))
      .join('')}</div>
${sales ? chart(sales, report, 'wide') : ''}
<div class="halves">${charts.join('')}</div>
<div class="halves">${productListsOf(report).map(sold).join('')}</div>
${profit(report)}
</main>
<footer>As of ${shownInstant(asOf)}. Days are those of ${escapeHtml(store.timeZone)}. Confirmed sales only, on the day of \
their invoice; cancelled ones are left out.</footer>`,
  );
};
