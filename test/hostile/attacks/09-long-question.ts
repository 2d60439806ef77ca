import type { ApiResponse } from '../../support/browser.ts';
import { finding, management, must, shortResponse, type Attack } from '../attack.ts';

/** Generous: a busy machine is not held against the shop; unmended it was seconds. */
const LONGEST_MS = 1000;
const LONGEST_SERIES = 730;

/** Days of the longest series in an answer. */
const pointsOf = ({ body }: ApiResponse): number =>
  Math.max(
    0,
    ...Object.values((body ?? {}) as object).map((value) => (Array.isArray(value) ? value.length : 0)),
  );

/** Asks for reports over centuries while a shopper looks at her basket. */
export const attack: Attack = {
  title: 'reports over centuries',
  before: "one analyst's GET stopped the shop for 8 s",
  kind: 'destructive',
  run: async ({ shop }) => {
    const reports = ['summary', 'breakdown', 'sales-timeseries-with-totals'];
    const ask = (report: string, startDate: string, endDate: string) =>
      shop.admin.get(`${management}/reporting/${report}?startDate=${startDate}&endDate=${endDate}`);
    const visitor = shop.shopper();
    let longest = 0;
    let isOver = false;
    const watch = (async () => {
      while (!isOver) {
        const asked = performance.now();
        await visitor.basket();
        longest = Math.max(longest, performance.now() - asked);
      }
    })();
    const centuries = await Promise.all(reports.map((report) => ask(report, '1000-01-01', '2999-12-31')));
    isOver = true;
    await watch;
    const tenYears = await ask('sales-timeseries-with-totals', '2016-01-01', '2026-01-01');
    must('ten years', tenYears);
    /** A time series may also be cut. */
    const isBounded = (answer: ApiResponse): boolean =>
      answer.status === 400 || (pointsOf(answer) > 0 && pointsOf(answer) <= LONGEST_SERIES);
    return finding(`400 above 3,660 days; a shopper waited ${longest.toFixed(0)} ms at most`, [
      ...centuries.flatMap((answer, at) =>
        isBounded(answer) ? [] : [`${reports[at]}: ${shortResponse(answer)}`],
      ),
      ...(longest > LONGEST_MS ? [`a shopper waited ${longest.toFixed(0)} ms`] : []),
      ...(pointsOf(tenYears) > LONGEST_SERIES ? [`a time series of ${pointsOf(tenYears)} days`] : []),
    ]);
  },
};
