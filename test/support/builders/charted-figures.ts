import type { ChartedFigure, FigureSeriesQuery } from '#contracts/figure-series.contract.ts';
import type { DaySales } from '#projection/contexts/reporting/daily-sales.projection.ts';
import {
  figureSeries,
  intervalsOf,
  partOfEach,
} from '#projection/contexts/reporting/figure-series.queries.ts';
import { periodOf } from './period.ts';

/** The series of these figures, out of the days that are given. */
export const chartedFigures = (
  days: ReadonlyMap<string, DaySales>,
  names: readonly ChartedFigure[],
  query: Pick<FigureSeriesQuery, 'startDate' | 'endDate' | 'interval'> & Partial<FigureSeriesQuery>,
  currency = 'JPY',
) => {
  const intervals = intervalsOf({ compareMode: 'None', includeCancelled: false, basis: 'booked', ...query });
  const { window, parts, compared } = intervals;
  const period = periodOf(window, days.values(), { partOf: partOfEach(parts) });
  const comparison =
    compared && periodOf(compared.window, days.values(), { partOf: partOfEach(compared.parts) });
  return figureSeries(intervals, period, comparison, { names, currency });
};
