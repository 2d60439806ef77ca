import type { ChartedFigure, FigureSeries, FigureSeriesQuery } from '#contracts/figure-series.contract.ts';
import { toDecimal } from '#values/money.ts';
import { partsBeside, partsOf } from './intervals.ts';
import { comparisonOf, daysOf, type Window } from './report-window.ts';
import type { DayFigures, Period } from './period.ts';
import { netSalesOf } from './reporting.queries.ts';
import { averageOrderValue, isSold, midnightOf, totalOf } from './time-series.queries.ts';

type Days = readonly DayFigures[];

/** A figure of some days; amounts in minor units. */
interface Figure {
  readonly unit: 'amount' | 'count';
  readonly ofDays: (days: Days) => number;
  /** Of the whole window, where that is not the figure of its days. */
  readonly ofWindow?: (days: Days) => number;
}

const sumOver =
  (of: (day: DayFigures) => number) =>
  (days: Days): number =>
    days.reduce((sum, day) => sum + of(day), 0);

const amount = (of: (day: DayFigures) => number): Figure => ({ unit: 'amount', ofDays: sumOver(of) });
const count = (of: (day: DayFigures) => number): Figure => ({ unit: 'count', ofDays: sumOver(of) });

/** docs/rules/reporting.md#figures-in-intervals */
const figures: Readonly<Record<ChartedFigure, Figure>> = {
  sales: amount(({ total }) => total),
  grossSales: amount(({ grossSales }) => grossSales),
  netSales: amount(netSalesOf),
  discounts: amount(({ discounts }) => discounts),
  returns: amount(({ returns }) => returns),
  taxes: amount(({ taxes }) => taxes),
  orders: count(({ invoices }) => invoices),
  items: count(({ items }) => items),
  averageOrderValue: { unit: 'amount', ofDays: (days) => totalOf(averageOrderValue, days) },
  newCustomers: {
    ...count(({ ofPart }) => ofPart.customers - ofPart.returning),
    ofWindow: sumOver(({ customers, returning }) => customers - returning),
  },
  returningCustomers: {
    ...count(({ ofPart }) => ofPart.returning),
    ofWindow: sumOver(({ returning }) => returning),
  },
};

/** The intervals of a window, each with the days that it is compared with. */
export interface Intervals {
  readonly window: Window;
  readonly parts: readonly Window[];
  readonly compared: { readonly window: Window; readonly parts: readonly (Window | null)[] } | null;
}

export const intervalsOf = (query: Omit<FigureSeriesQuery, 'figures'>): Intervals => {
  const window = { start: query.startDate, end: query.endDate };
  const parts = partsOf(window, query.interval);
  const compared = comparisonOf(window, query);
  return {
    window,
    parts,
    compared: compared && {
      window: compared,
      parts: partsBeside(parts, window, compared, query.interval),
    },
  };
};

/** Looks up the interval that a day is in; a day of none is by itself. */
export const partOfEach = (parts: readonly (Window | null)[]): ((day: string) => Window) => {
  const partOf = new Map<string, Window>();
  for (const part of parts) if (part) for (const day of daysOf(part)) partOf.set(day, part);
  return (day) => partOf.get(day) ?? { start: day, end: day };
};

const daysIn = (part: Window | null, { sales }: Period): Days =>
  part ? daysOf(part).flatMap((day) => sales.get(day) ?? []) : [];

/** Figures in intervals, beside those that they are compared with. */
export const figureSeries = (
  { parts, compared }: Intervals,
  period: Period,
  comparison: Period | null,
  { names, currency }: { readonly names: readonly ChartedFigure[]; readonly currency: string },
): FigureSeries['series'] => {
  const days = parts.map((part) => daysIn(part, period));
  const before = comparison && compared ? compared.parts.map((part) => daysIn(part, comparison)) : [];
  return names.map((name) => {
    const { unit, ofDays, ofWindow = ofDays } = figures[name];
    const shown = (value: number): number => (unit === 'amount' ? toDecimal(value, currency) : value);
    const shownIfSold = (sold: Days, of: (days: Days) => number): number | null =>
      sold.some(isSold) ? shown(of(sold)) : null;
    return {
      figure: name,
      unit,
      points: parts.map(({ start }, place) => ({
        date: midnightOf(start),
        value: shown(ofDays(days[place] ?? [])),
        comparisonValue: shownIfSold(before[place] ?? [], ofDays),
      })),
      total: shown(ofWindow([...period.sales.values()])),
      comparisonTotal: shownIfSold([...(comparison?.sales.values() ?? [])], ofWindow),
    };
  });
};
