import { figureSeries as figureSeriesSchema, figureSeriesQuery } from '#contracts/figure-series.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { dailySalesProjection } from './daily-sales.projection.ts';
import { figureSeries, intervalsOf, partOfEach } from './figure-series.queries.ts';
import { readPeriod } from './reporting.queries.ts';

/** Figures by day, week or month, for charts (docs/rules/reporting.md#figures-in-intervals). */
export const figureSeriesRoute = ({ reader: views, settings, clock }: ProjectionDeps): Route =>
  route({
    method: 'GET',
    base: 'management',
    service: 'projection',
    caller: reader,
    file: import.meta.url,
    path: '/reporting/series',
    summary: 'Figures by day, week or month, beside the days that they are compared with: for charts',
    schemas: { query: figureSeriesQuery },
    response: figureSeriesSchema,
    reads: [dailySalesProjection],
    handle: async ({ query }) => {
      const { figures: names, interval } = query;
      const { storeCurrencyCode: currency } = settings();
      const asOf = isoInstant(clock.now());
      const intervals = intervalsOf(query);
      const { window, parts, compared } = intervals;
      const [period, comparison] = await Promise.all([
        readPeriod(views, window, { ...query, partOf: partOfEach(parts) }),
        compared && readPeriod(views, compared.window, { ...query, partOf: partOfEach(compared.parts) }),
      ]);
      return ok({
        interval,
        currency,
        asOf,
        series: figureSeries(intervals, period, comparison, { names, currency }),
      });
    },
  });
