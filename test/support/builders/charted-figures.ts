import type { ChartedFigure, FigureSeriesQuery } from '#contracts/figure-series.contract.ts';
import {
  figureSeries,
  intervalsOf,
  partOfEach,
} from '#projection/contexts/reporting/figure-series.queries.ts';
import type { JournalEntry } from '#projection/contexts/reporting/sales-journal.projection.ts';
import { periodOf } from './period.ts';

/** The series of these figures, out of the journal. */
export const chartedFigures = (
  journal: readonly JournalEntry[],
  names: readonly ChartedFigure[],
  query: Pick<FigureSeriesQuery, 'startDate' | 'endDate' | 'interval'> & Partial<FigureSeriesQuery>,
  currency = 'JPY',
) => {
  const intervals = intervalsOf({ compareMode: 'None', includeCancelled: false, basis: 'booked', ...query });
  const { window, parts, compared } = intervals;
  const period = periodOf(window, journal, { ...query, partOf: partOfEach(parts) });
  const comparison =
    compared && periodOf(compared.window, journal, { ...query, partOf: partOfEach(compared.parts) });
  return figureSeries(intervals, period, comparison, { names, currency });
};
