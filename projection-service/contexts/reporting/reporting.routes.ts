import type { z } from 'zod';
import {
  averageTimeSeries,
  reportQuery,
  seriesQuery,
  salesBreakdown as breakdownSchema,
  salesSummary as summarySchema,
  timeSeries,
  timeSeriesPoints,
  type ReportQuery,
} from '#contracts/reporting.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { dailySalesProjection } from './daily-sales.projection.ts';
import { capped, comparisonOf, type Window } from './report-window.ts';
import { readPeriod, salesBreakdown, salesSummary, type Period } from './reporting.queries.ts';
import { averagePoints, averageSeries, salesPoints, salesSeries } from './time-series.queries.ts';

interface Report {
  readonly path: `/reporting/${string}`;
  readonly summary: string;
  readonly response: z.ZodType;
  readonly figures: (period: Period, comparison: Period | null, currency: string) => unknown;
  /** A time series: of a longer window it shows the first days; other reports refuse one. */
  readonly isSeries?: boolean;
  /** Whatever `compareMode` says. */
  readonly isComparedWithPrevious?: boolean;
}

const reports: readonly Report[] = [
  {
    path: '/reporting/summary',
    summary: 'Key figures of some days, with their change',
    response: summarySchema,
    figures: salesSummary,
  },
  {
    path: '/reporting/breakdown',
    summary: 'From gross sales to profit, with each change',
    response: breakdownSchema,
    figures: salesBreakdown,
  },
  {
    path: '/reporting/sales-timeseries',
    summary: 'Sales day by day, beside as many days before them',
    response: timeSeriesPoints,
    figures: salesPoints,
    isSeries: true,
    isComparedWithPrevious: true,
  },
  {
    path: '/reporting/sales-timeseries-with-totals',
    summary: 'Sales day by day, beside the days that they are compared with',
    response: timeSeries,
    figures: salesSeries,
    isSeries: true,
  },
  {
    path: '/reporting/aov-timeseries',
    summary: 'The average order value of each day, beside as many days before them',
    response: timeSeriesPoints,
    figures: averagePoints,
    isSeries: true,
    isComparedWithPrevious: true,
  },
  {
    path: '/reporting/aov-timeseries-with-totals',
    summary: 'The average order value of each day, beside the days that they are compared with',
    response: averageTimeSeries,
    figures: averageSeries,
    isSeries: true,
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

/** Reports from the daily figures (docs/rules/reporting.md). */
export const reportingRoutes = (deps: ProjectionDeps): readonly Route[] =>
  reports.map((report) =>
    route({
      method: 'GET',
      base: 'management',
      path: report.path,
      service: 'projection',
      caller: reader,
      summary: report.summary,
      schemas: { query: report.isSeries ? seriesQuery : reportQuery },
      response: report.response,
      file: import.meta.url,
      reads: [dailySalesProjection],
      handle: async (request) => {
        const { includeCancelled } = request.query;
        const [window, compared] = windowsOf(request.query, report);
        const [period, comparison] = await Promise.all([
          readPeriod(deps.reader, window, includeCancelled),
          compared && readPeriod(deps.reader, compared, includeCancelled),
        ]);
        return ok(report.figures(period, comparison, deps.settings().storeCurrencyCode));
      },
    }),
  );
