import type { AverageTimeSeries, TimeSeries, TimeSeriesPoint } from '#contracts/reporting.contract.ts';
import { scale, toDecimal, type Minor } from '#values/money.ts';
import { daysOf } from './report-window.ts';
import type { DayFigures, Period } from './period.ts';
import { percentChange, sumOf } from './reporting.queries.ts';

/** A figure day by day, in minor units. */
interface SeriesFigure {
  readonly ofDay: (day: DayFigures) => Minor;
  /** What a period comes to, from the values of its days. */
  readonly ofDays: (values: readonly Minor[]) => Minor;
}

const sum = (values: readonly Minor[]): Minor => values.reduce((total, value) => total + value, 0);

const mean = (total: Minor, count: number): Minor => (count === 0 ? 0 : scale(total, 1, count));

/** With tax and shipping, after discounts. */
const sales: SeriesFigure = { ofDay: ({ total }) => total, ofDays: sum };

export const averageOrderValue: SeriesFigure = {
  ofDay: ({ total, invoices }) => mean(total, invoices),
  ofDays: (values) => {
    const shown = values.filter((value) => value !== 0);
    return mean(sum(shown), shown.length);
  },
};

/** By the day of recording there may be less than nothing, or another amount for the same invoices. */
export const isSold = ({ invoices, total }: DayFigures): boolean => invoices !== 0 || total !== 0;

/** A day as points have it. */
export const midnightOf = (day: string): string => `${day}T00:00:00Z`;

/** Every day of the period, beside the day at the same place in the comparison. */
const pointsOf = (
  { ofDay }: SeriesFigure,
  period: Period,
  comparison: Period | null,
  currency: string,
): TimeSeriesPoint[] => {
  const comparedDays = comparison ? daysOf(comparison.window) : [];
  return daysOf(period.window).map((date, index) => {
    const day = period.sales.get(date);
    const compared = comparison?.sales.get(comparedDays[index] ?? '');
    return {
      date: midnightOf(date),
      value: day ? toDecimal(ofDay(day), currency) : 0,
      comparisonValue: compared && isSold(compared) ? toDecimal(ofDay(compared), currency) : null,
    };
  });
};

export const totalOf = ({ ofDay, ofDays }: SeriesFigure, days: readonly DayFigures[]): Minor =>
  ofDays(days.map(ofDay));

const seriesOf = (
  figure: SeriesFigure,
  period: Period,
  comparison: Period | null,
  currency: string,
): TimeSeries => {
  const total = totalOf(figure, [...period.sales.values()]);
  const comparedDays = comparison ? [...comparison.sales.values()] : [];
  const before = comparedDays.some(isSold) ? totalOf(figure, comparedDays) : null;
  return {
    dataPoints: pointsOf(figure, period, comparison, currency),
    periodTotal: toDecimal(total, currency),
    comparisonTotal: before === null ? null : toDecimal(before, currency),
    percentChange: before === null ? null : percentChange(total, before),
  };
};

type SeriesReport<Answer> = (period: Period, comparison: Period | null, currency: string) => Answer;

/** Day by day (docs/rules/reporting.md#time-series). */
export const salesPoints: SeriesReport<TimeSeriesPoint[]> = (...asked) => pointsOf(sales, ...asked);
export const averagePoints: SeriesReport<TimeSeriesPoint[]> = (...asked) =>
  pointsOf(averageOrderValue, ...asked);

/** The same with what the days come to. */
export const salesSeries: SeriesReport<TimeSeries> = (...asked) => seriesOf(sales, ...asked);
export const averageSeries: SeriesReport<AverageTimeSeries> = (period, comparison, currency) => {
  const { total, invoices } = sumOf(period.sales.values());
  return {
    ...seriesOf(averageOrderValue, period, comparison, currency),
    weightedAverage: toDecimal(mean(total, invoices), currency),
  };
};
