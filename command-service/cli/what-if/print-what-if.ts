import { sparkline } from '#charts/sparkline.ts';
import { table } from '#charts/text-table.ts';
import type { WhatIfAnswer } from '#contracts/what-if.contract.ts';
import {
  checkWords,
  comparedFigures,
  differenceWords,
  periodOf,
  ruleWords,
  shownDifference,
  titleOf,
} from './what-if-words.ts';

const salesByDay = ({ days, total, currency }: WhatIfAnswer): string =>
  table(
    [
      ['Sales by day, recorded', sparkline(days.map(({ recorded }) => recorded.sales)), ''],
      [
        'recomputed',
        sparkline(days.map(({ recomputed }) => recomputed.sales)),
        shownDifference(total.recorded.sales, total.recomputed.sales, currency),
      ],
    ],
    ['left', 'left', 'right'],
  );

/** A what-if for the terminal. */
export const printWhatIf = (answer: WhatIfAnswer): string => {
  const rows = comparedFigures(answer.total, answer.currency).map(
    ({ title, recorded, recomputed, difference }) => [title, recorded, recomputed, difference],
  );
  const rule = ruleWords(answer);
  return [
    `${titleOf(answer)}  ${periodOf(answer)}\n`,
    table([['', 'recorded', 'recomputed', 'difference'], ...rows], ['left', 'right', 'right', 'right']),
    salesByDay(answer),
    ...(rule === null ? [] : [`${rule}\n`]),
    `${checkWords(answer)}\n`,
    ...differenceWords(answer).map((line) => `  ${line}\n`),
    answer.notes.map((note) => `${note}\n`).join(''),
  ].join('\n');
};
