import type { ChartedFigure, FigureSeries, Interval } from '#contracts/figure-series.contract.ts';
import type { BreakdownFigures, SalesBreakdown } from '#contracts/reporting.contract.ts';
import type { TopAnswer } from '#contracts/top.contract.ts';
import { defined } from '#kernel/defined.ts';
import { comparisonOf, lengthOf, type Window } from '../../contexts/reporting/report-window.ts';
import { percentChange } from '../../contexts/reporting/reporting.queries.ts';

/** Where the figures come from: a running shop, or the engines themselves. */
export interface ReportSource {
  /** What the management API answers to a GET. Throws with the shop's words if it refuses. */
  ask(pathAndQuery: string): Promise<unknown>;
  store(): Promise<ReportedStore>;
  close(): Promise<void>;
}

export interface ReportedStore {
  readonly name: string;
  /** That of its business days. */
  readonly timeZone: string;
}

export interface ReportWish {
  readonly window: Window;
  readonly compare: Comparison;
  /** Default: what shows the window in a few dozen points. */
  readonly interval?: Interval;
  /** A day or an instant of the past, as the management API takes it. Default: now. */
  readonly asOf?: string;
}

/** What a report is compared with, as the management API takes it. */
export interface Comparison {
  readonly compareMode: 'Previous' | 'PreviousYear' | 'Custom' | 'None';
  readonly comparisonStartDate?: string;
  readonly comparisonEndDate?: string;
}

type Series = FigureSeries['series'][number];

export interface ReportedFigure extends Series {
  /** In percent; null where nothing is compared. */
  readonly change: number | null;
}

export interface ReportedLine {
  readonly figure: keyof BreakdownFigures;
  /** An amount; the margin is a percentage. */
  readonly value: number;
  /** In percent, of the margin in points; null where nothing is compared. */
  readonly change: number | null;
}

export interface SoldProduct {
  readonly id: string;
  readonly name: string;
  readonly value: number;
}

/** Products that are still there. */
export interface BestSellers {
  readonly byItems: readonly SoldProduct[];
  readonly bySales: readonly SoldProduct[];
}

export interface SalesReport {
  readonly store: ReportedStore;
  readonly window: Window;
  readonly comparison: Window | null;
  readonly interval: Interval;
  readonly currency: string;
  readonly asOf: string;
  readonly figures: readonly ReportedFigure[];
  /** From gross sales to profit. */
  readonly breakdown: readonly ReportedLine[];
  readonly bestSellers: BestSellers;
}

/** The figures that a report begins with. */
export const keyFigures = [
  'sales',
  'orders',
  'averageOrderValue',
  'items',
  'newCustomers',
  'returningCustomers',
] as const satisfies readonly ChartedFigure[];

const reportedFigures = [...keyFigures, 'grossSales', 'discounts', 'returns', 'netSales', 'taxes'];

const reportedLines = [
  'grossSales',
  'discounts',
  'returns',
  'netSales',
  'shipping',
  'taxes',
  'total',
  'totalCost',
  'grossProfit',
  'grossProfitMargin',
] as const satisfies readonly (keyof BreakdownFigures)[];

const MOST_DAYS_BY_DAY = 62;
const MOST_DAYS_BY_WEEK = 371;

const intervalFor = (window: Window): Interval => {
  const days = lengthOf(window);
  if (days <= MOST_DAYS_BY_DAY) return 'day';
  return days <= MOST_DAYS_BY_WEEK ? 'week' : 'month';
};

const changeOf = ({ total, comparisonTotal }: Series): number | null =>
  comparisonTotal === null ? null : percentChange(total, comparisonTotal);

const SHOWN_PRODUCTS = 8;
/** So many more are asked for: some may have been deleted. */
const ASKED_PRODUCTS = 50;

const topProducts = async (
  source: ReportSource,
  query: string,
  figure: 'items' | 'sales',
): Promise<readonly SoldProduct[]> => {
  const asked = `by=product&figure=${figure}&limit=${ASKED_PRODUCTS}`;
  const { items } = (await source.ask(`/reporting/top?${query}&${asked}`)) as TopAnswer;
  return items
    .flatMap(({ id, name, value }) => (name === null ? [] : [{ id, name, value }]))
    .slice(0, SHOWN_PRODUCTS);
};

/** The moment that a whole report is about: a running shop goes on selling between the questions. */
const momentOf = async (source: ReportSource, { window, asOf }: ReportWish): Promise<string> => {
  const day = { startDate: window.end, endDate: window.end, compareMode: 'None', ...defined({ asOf }) };
  const query = new URLSearchParams({ figures: 'orders', interval: 'day', ...day });
  return ((await source.ask(`/reporting/series?${query}`)) as FigureSeries).asOf;
};

/** Asks for everything that a report shows. Errors: those of the source. */
export const readSalesReport = async (source: ReportSource, wish: ReportWish): Promise<SalesReport> => {
  const { window, compare, interval = intervalFor(window) } = wish;
  const asOf = await momentOf(source, wish);
  const days = new URLSearchParams({ startDate: window.start, endDate: window.end, asOf }).toString();
  const query = `${days}&${new URLSearchParams({ ...compare })}`;
  const figures = `figures=${reportedFigures.join(',')}&interval=${interval}`;
  const [store, series, breakdown, byItems, bySales] = await Promise.all([
    source.store(),
    source.ask(`/reporting/series?${query}&${figures}`) as Promise<FigureSeries>,
    source.ask(`/reporting/breakdown?${query}`) as Promise<SalesBreakdown>,
    topProducts(source, days, 'items'),
    topProducts(source, days, 'sales'),
  ]);
  const comparison = comparisonOf(window, compare);
  return {
    store,
    window,
    comparison,
    interval,
    currency: series.currency,
    asOf,
    figures: series.series.map((one) => ({ ...one, change: changeOf(one) })),
    breakdown: reportedLines.map((figure) => ({
      figure,
      value: breakdown[figure],
      change: comparison && breakdown[`${figure}Change`],
    })),
    bestSellers: { byItems, bySales },
  };
};
