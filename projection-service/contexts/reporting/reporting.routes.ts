import type { z } from 'zod';
import {
  reportQuery,
  seriesQuery,
  salesBreakdown as breakdownSchema,
  salesSummary as summarySchema,
  timeSeries,
  type ReportQuery,
} from '#contracts/reporting.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { dailySalesProjection } from './daily-sales.projection.ts';
import { capped, comparisonOf, type Window } from './report-window.ts';
import { readPeriod, salesBreakdown, salesSeries, salesSummary, type Period } from './reporting.queries.ts';

interface Report {
  readonly path: `/reporting/${string}`;
  readonly summary: string;
  readonly response: z.ZodType;
  readonly report: (period: Period, comparison: Period | null, currency: string) => unknown;
  /** A time series: of a longer window it shows the first days; other reports refuse one. */
  readonly isSeries?: boolean;
}

const reports: readonly Report[] = [
  {
    path: '/reporting/summary',
    summary: 'Key figures of some days, with their change',
    response: summarySchema,
    report: salesSummary,
  },
  {
    path: '/reporting/breakdown',
    summary: 'From gross sales to profit, with each change',
    response: breakdownSchema,
    report: salesBreakdown,
  },
  {
    path: '/reporting/sales-timeseries-with-totals',
    summary: 'Sales day by day, beside the days that they are compared with',
    response: timeSeries,
    report: salesSeries,
    isSeries: true,
  },
];

const windowsOf = (query: ReportQuery, isSeries: boolean): readonly [Window, Window | null] => {
  const asked = { start: query.startDate, end: query.endDate };
  const window = isSeries ? capped(asked) : asked;
  const comparison = comparisonOf(window, query);
  return [window, isSeries && comparison ? capped(comparison) : comparison];
};

/** Reports from the daily figures (docs/rules/reporting.md). */
export const reportingRoutes = (deps: ProjectionDeps): readonly Route[] =>
  reports.map(({ path, summary, response, report, isSeries = false }) =>
    route({
      method: 'GET',
      base: 'management',
      path,
      service: 'projection',
      caller: reader,
      summary,
      schemas: { query: isSeries ? seriesQuery : reportQuery },
      response,
      file: import.meta.url,
      reads: [dailySalesProjection],
      handle: async (request) => {
        const { includeCancelled } = request.query;
        const [window, compared] = windowsOf(request.query, isSeries);
        const [period, comparison] = await Promise.all([
          readPeriod(deps.reader, window, includeCancelled),
          compared && readPeriod(deps.reader, compared, includeCancelled),
        ]);
        return ok(report(period, comparison, deps.settings().storeCurrencyCode));
      },
    }),
  );
