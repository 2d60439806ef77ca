import {
  figureSeries as figureSeriesSchema,
  figureSeriesQuery,
  isOfCustomers,
} from '#contracts/figure-series.contract.ts';
import { reader, route, type Route } from '#http/route.ts';
import { isoInstant } from '#kernel/clock.ts';
import { answerAsOf } from '../../engine/moments.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { figureSeries, intervalsOf, partOfEach } from './figure-series.queries.ts';
import { readPeriod } from './period.ts';
import { salesJournalProjection } from './sales-journal.projection.ts';

/** Figures by day, week or month, for charts (docs/rules/reporting.md#figures-in-intervals). */
export const figureSeriesRoute = (deps: ProjectionDeps): Route => {
  const { reader: views, settings, clock } = deps;
  return route({
    method: 'GET',
    base: 'management',
    service: 'projection',
    caller: reader,
    file: import.meta.url,
    path: '/reporting/series',
    summary: 'Figures by day, week or month, beside the days that they are compared with: for charts',
    schemas: { query: figureSeriesQuery },
    response: figureSeriesSchema,
    reads: [salesJournalProjection],
    handle: async (request) => {
      const { asOf, ...query } = request.query;
      const { figures: names, interval } = query;
      const { storeCurrencyCode: currency } = settings();
      const intervals = intervalsOf(query);
      const { window, parts, compared } = intervals;
      return answerAsOf(deps, asOf, [salesJournalProjection], async (moment) => {
        const known = isoInstant(moment?.instant ?? clock.now());
        const options = { ...query, asOf: moment, countsCustomers: names.some(isOfCustomers) };
        const [period, comparison] = await Promise.all([
          readPeriod(views, window, { ...options, partOf: partOfEach(parts) }),
          compared && readPeriod(views, compared.window, { ...options, partOf: partOfEach(compared.parts) }),
        ]);
        const series = figureSeries(intervals, period, comparison, { names, currency });
        return { interval, currency, asOf: known, series };
      });
    },
  });
};
