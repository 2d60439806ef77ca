import { lineChart, type LineChart } from '#charts/line-chart.ts';
import { figuresPage } from '#charts/figures-page.ts';
import { shownDay } from '#charts/dates.ts';
import { quantity } from '#charts/quantities.ts';
import type { WhatIfAnswer } from '#contracts/what-if.contract.ts';
import { escapeHtml } from '#values/escape-html.ts';
import {
  checkWords,
  comparedFigures,
  differenceWords,
  periodOf,
  ruleWords,
  shownDifference,
  titleOf,
  type ComparedFigure,
} from './what-if-words.ts';

type Day = WhatIfAnswer['days'][number];

const card = ({ title, recorded, recomputed, difference }: ComparedFigure): string =>
  `<article class="card"><h2>${title}</h2><p class="figure">${escapeHtml(recomputed)}</p>` +
  `<p class="change">${escapeHtml(difference)} <span class="quiet">from ${escapeHtml(recorded)} recorded</span></p></article>`;

const charts = [
  { figure: 'sales', title: 'Sales', size: 'wide', isAmount: true },
  { figure: 'discounts', title: 'Discounts', size: 'half', isAmount: true },
  { figure: 'averageOrderValue', title: 'Average order', size: 'half', isAmount: true },
  { figure: 'ordersTouched', title: 'Orders touched', size: 'half', isAmount: false },
  { figure: 'uses', title: 'Uses of rules', size: 'half', isAmount: false },
] as const;

const chart = (
  { days, currency }: WhatIfAnswer,
  { figure, title, size, isAmount }: (typeof charts)[number],
): string => {
  const drawn: LineChart = {
    id: `chart-${figure}`,
    title: `${title} by day`,
    points: days.map(({ date, recorded, recomputed }) => ({
      date,
      value: recomputed[figure],
      comparisonValue: recorded[figure],
    })),
    interval: 'day',
    currency: isAmount ? currency : null,
    legend: { now: 'recomputed', before: 'recorded' },
    size,
  };
  return `<section class="panel ${size}"><h2>${title} <span class="quiet">by day</span></h2>${lineChart(drawn)}</section>`;
};

const heads = [
  'Orders',
  'Sales recorded',
  'Sales recomputed',
  'Difference',
  'Discounts recorded',
  'Discounts recomputed',
];

const row = ({ date, orders, recorded, recomputed }: Day, currency: string): string => {
  const cells = [
    orders.toLocaleString('en'),
    quantity(recorded.sales, currency),
    quantity(recomputed.sales, currency),
    shownDifference(recorded.sales, recomputed.sales, currency),
    quantity(recorded.discounts, currency),
    quantity(recomputed.discounts, currency),
  ];
  return `<tr><th scope="row">${shownDay(date)}</th>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`;
};

const dayTable = ({ days, currency }: WhatIfAnswer): string =>
  '<section class="panel"><h2>Day by day</h2><table><thead><tr><td></td>' +
  `${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>` +
  `<tbody>${days.map((day) => row(day, currency)).join('')}</tbody></table></section>`;

const differences = (answer: WhatIfAnswer): string => {
  const lines = differenceWords(answer).map((line) => `<li>${escapeHtml(line)}</li>`);
  return lines.length === 0 ? '' : `<ul>${lines.join('')}</ul>`;
};

/** A what-if as one page that needs no network: no script, nothing from elsewhere. */
export const whatIfPage = (answer: WhatIfAnswer): string => {
  const title = `${titleOf(answer)} ${periodOf(answer)}`;
  const [sales, ...others] = charts.map((one) => chart(answer, one));
  const rule = ruleWords(answer);
  return figuresPage(
    title,
    `<header><p class="store">${periodOf(answer)}</p><h1>${escapeHtml(titleOf(answer))}</h1>
${rule === null ? '' : `<p>${escapeHtml(rule)}</p>`}
${answer.notes.map((note) => `<p class="quiet">${escapeHtml(note)}</p>`).join('\n')}</header>
<main>
<div class="cards">${comparedFigures(answer.total, answer.currency).map(card).join('')}</div>
${sales ?? ''}
<div class="halves">${others.join('')}</div>
${dayTable(answer)}
</main>
<footer><p>${escapeHtml(checkWords(answer))}</p>${differences(answer)}
<p>Amounts in ${answer.currency}. Confirmed sales only, on the day of their invoice.</p></footer>`,
  );
};
