import type { z } from 'zod';
import {
  averageTimeSeries,
  breakdownQuery,
  seriesQuery,
  salesBreakdown as breakdownSchema,
  salesSummary as summarySchema,
  summaryQuery,
  timeSeries,
  timeSeriesPoints,
  type ReportQuery,
} from '#contracts/reporting.contract.ts';
import { reader, route, type Route } from '#http/route.ts';
import { answerAsOf } from '../../engine/moments.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { capped, comparisonOf, type Window } from './report-window.ts';
import { readPeriod, type Period } from './period.ts';
import { salesBreakdown, salesSummary } from './reporting.queries.ts';
import { salesJournalProjection } from './sales-journal.projection.ts';
import { averagePoints, averageSeries, salesPoints, salesSeries } from './time-series.queries.ts';

interface Report {
  readonly path: `/reporting/${string}`;
  readonly summary: string;
  readonly response: z.ZodType;
  readonly figures: (period: Period, comparison: Period | null, currency: string) => unknown;
  readonly query: typeof breakdownQuery | typeof seriesQuery | typeof summaryQuery;
  /** A time series: of a longer window it shows the first days; other reports refuse one. */
  readonly isSeries?: boolean;
  /** Whatever `compareMode` says. */
  readonly isComparedWithPrevious?: boolean;
  readonly countsCustomers?: boolean;
}

const series = { query: seriesQuery, isSeries: true } as const;

const reports: readonly Report[] = [
  {
    path: '/reporting/summary',
    summary: 'Key figures of some days, with their change',
    query: summaryQuery,
    response: summarySchema,
    figures: salesSummary,
    countsCustomers: true,
  },
  {
    path: '/reporting/breakdown',
    summary: 'From gross sales to profit, with each change',
    query: breakdownQuery,
    response: breakdownSchema,
    figures: salesBreakdown,
  },
  {
    path: '/reporting/sales-timeseries',
    summary: 'Sales day by day, beside as many days before them',
    ...series,
    response: timeSeriesPoints,
    figures: salesPoints,
    isComparedWithPrevious: true,
  },
  {
    path: '/reporting/sales-timeseries-with-totals',
    summary: 'Sales day by day, beside the days that they are compared with',
    ...series,
    response: timeSeries,
    figures: salesSeries,
  },
  {
    path: '/reporting/aov-timeseries',
    summary: 'The average order value of each day, beside as many days before them',
    ...series,
    response: timeSeriesPoints,
    figures: averagePoints,
    isComparedWithPrevious: true,
  },
  {
    path: '/reporting/aov-timeseries-with-totals',
    summary: 'The average order value of each day, beside the days that they are compared with',
    ...series,
    response: averageTimeSeries,
    figures: averageSeries,
  },
];

const windowsOf = (
  query: ReportQuery,
  { isSeries = false, isComparedWithPrevious = false }: Report,
): readonly [Window, Window | null] => {
  const asked = { start: query.startDate, end: query.endDate };
  const window = isSeries ? capped(asked) : asked;
  const comparison = comparisonOf(
    window,
    isComparedWithPrevious ? { ...query, compareMode: 'Previous' } : query,
  );
  return [window, isSeries && comparison ? capped(comparison) : comparison];
};

/** Reports from the journal of sales (docs/rules/reporting.md). */
export const reportingRoutes = (deps: ProjectionDeps): readonly Route[] =>
  reports.map((report) =>
    route({
      method: 'GET',
      base: 'management',
      path: report.path,
      service: 'projection',
      caller: reader,
      summary: report.summary,
      schemas: { query: report.query },
      response: report.response,
      file: import.meta.url,
      reads: [salesJournalProjection],
      handle: async (request) => {
        const { asOf, ...query } = request.query;
        const [window, compared] = windowsOf(query, report);
        return answerAsOf(deps, asOf, [salesJournalProjection], async (moment) => {
          const options = { ...query, asOf: moment, countsCustomers: report.countsCustomers ?? false };
          const [period, comparison] = await Promise.all([
            readPeriod(deps.reader, window, options),
            compared && readPeriod(deps.reader, compared, options),
          ]);
          return report.figures(period, comparison, deps.settings().storeCurrencyCode);
        });
      },
    }),
  );
