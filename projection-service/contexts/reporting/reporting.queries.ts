import { setImmediate as nextTurn } from 'node:timers/promises';
import { Decimal } from 'decimal.js';
import type { BreakdownFigures, SalesBreakdown, SalesSummary } from '#contracts/reporting.contract.ts';
import type { SourceType } from '#events/invoice.fields.ts';
import { defined } from '#kernel/defined.ts';
import { daysBetween } from '#values/business-day.ts';
import { toDecimal, type Minor } from '#values/money.ts';
import { halfToEven, percentage } from '#values/percentage.ts';
import type { ViewReader } from '../../engine/reader.ts';
import { countOver, noCounts, type CountsByDays } from './counts-by-days.ts';
import { figureNames, noSales, saleSums, type DayTotals, type SaleSums } from './day-totals.ts';
import { daysOf, type Window } from './report-window.ts';
import { salesPages, type CountedTotals, type SalesView } from './sales-pages.ts';

/** A day as a report needs it: its customers, who are told apart by hundreds of days before it, are counted. */
export interface DayFigures extends SaleSums {
  readonly ordersFulfilled: number;
  /** Whose first purchase in the window this is. */
  readonly customers: number;
  /** Of those, who had bought before the window began. */
  readonly returning: number;
  /** The same of the part of the window that the day is in, as a window of its own. */
  readonly ofPart: { readonly customers: number; readonly returning: number };
}

/** A window with its days that had anything, by day: what a report adds up. */
export interface Period {
  readonly window: Window;
  readonly sales: ReadonlyMap<string, DayFigures>;
}

/** Which sales a report is about: without any of it, all that stand. */
export interface SalesFilter {
  readonly includeCancelled?: boolean;
  readonly sourceType?: SourceType | undefined;
}

export interface PeriodOptions extends SalesFilter {
  /** The part of the window that a day is in, whose customers are counted as well. Default: the day by itself. */
  readonly partOf?: (day: string) => Window;
}

/** Whose first purchase in the window was on the day, and of those, who had bought before it began. */
const customersOf = ({ customers }: DayTotals, day: string, { start, end }: Window): WindowCustomers => {
  if (!customers) return noCustomers;
  const { first = 0, again = 0, elsewhere = 0, byDaysSince, byDaysSinceFirst, byDaysUntil } = customers;
  const before = (all: number, counts: CountsByDays = noCounts): number =>
    start >= day ? all : countOver(counts, daysBetween(start, day));
  const known = before(again, byDaysSince);
  const later = byDaysUntil === undefined ? 0 : countOver(byDaysUntil, daysBetween(day, end));
  return {
    customers: first + elsewhere + known + later,
    returning: known + before(elsewhere, byDaysSinceFirst),
  };
};

/** What a day sold, and who its customers are to the window: those of sales that stand. */
export const figuresOf = (
  day: string,
  totals: DayTotals,
  window: Window,
  { partOf, includeCancelled = false }: Pick<PeriodOptions, 'partOf' | 'includeCancelled'> = {},
): DayFigures => ({
  ...saleSums((figure) => (totals[figure] ?? 0) + (includeCancelled ? (totals.cancelled?.[figure] ?? 0) : 0)),
  ordersFulfilled: totals.ordersFulfilled ?? 0,
  ...customersOf(totals, day, window),
  ofPart: customersOf(totals, day, partOf?.(day) ?? { start: day, end: day }),
});

type WindowCustomers = Pick<DayFigures, 'customers' | 'returning'>;

const noCustomers: WindowCustomers = { customers: 0, returning: 0 };

const withCustomers = (one: WindowCustomers, other: WindowCustomers): WindowCustomers => ({
  customers: one.customers + other.customers,
  returning: one.returning + other.returning,
});

const plus = (one: DayFigures | undefined, other: DayFigures): DayFigures =>
  one === undefined
    ? other
    : {
        ...saleSums((figure) => one[figure] + other[figure]),
        ordersFulfilled: one.ordersFulfilled + other.ordersFulfilled,
        ...withCustomers(one, other),
        ofPart: withCustomers(one.ofPart, other.ofPart),
      };

/** The days of a window, added up of whatever is known of them. */
export const addCounted = (
  sales: Map<string, DayFigures>,
  counted: readonly CountedTotals[],
  window: Window,
  options: PeriodOptions,
): void => {
  for (const { day, businessDay, totals } of counted)
    sales.set(day, plus(sales.get(day), figuresOf(businessDay, totals, window, options)));
};

const countPeriod = async (
  views: Pick<ViewReader, 'find'>,
  window: Window,
  { basis, asOf, ...options }: PeriodOptions & SalesView,
): Promise<Period> => {
  const sales = new Map<string, DayFigures>();
  for await (const page of salesPages(views, options.sourceType ?? 'all', window, { basis, asOf })) {
    addCounted(sales, page, window, options);
    await nextTurn();
  }
  return { window, sales };
};

/**
 * Reads what the journal has of a window, however many sales there were: two years are some fifty entries, as of a
 * moment of the past as many and those of the days of its month. They are taken in a few at a time, so that ten years
 * hold up no other work; what was known at a moment is remembered.
 */
export const readPeriod = async (
  views: Pick<ViewReader, 'find'>,
  window: Window,
  { basis, asOf, partOf, includeCancelled, sourceType }: PeriodOptions & SalesView = {},
): Promise<Period> => {
  const options = defined({ basis, asOf, partOf, includeCancelled, sourceType });
  const count = (): Promise<Period> => countPeriod(views, window, options);
  if (!asOf || partOf) return count();
  const { start, end } = window;
  return asOf.remember(['sales', start, end, basis, includeCancelled, sourceType].join(' '), count);
};

/**
 * In percent, one decimal; from nothing to something is 100, from nothing to nothing 0
 * (docs/rules/reporting.md#percentages).
 */
export const percentChange = (current: number, previous: number): number => {
  if (previous === 0) return current > 0 ? 100 : 0;
  const difference = new Decimal(current).minus(previous);
  return halfToEven(difference.dividedBy(Math.abs(previous)).times(100), 1);
};

/** The figures of some days added up. */
export const sumOf = (days: Iterable<SaleSums & Pick<DayFigures, 'ordersFulfilled'>>) => {
  const sums = { ...noSales, ordersFulfilled: 0 };
  for (const day of days) {
    for (const figure of figureNames) sums[figure] += day[figure];
    sums.ordersFulfilled += day.ordersFulfilled;
  }
  return sums;
};

/**
 * The customers of a window: how many there were, and how many of them had bought before it began. Of each only the
 * first purchase in the window counts: the one whose day before it is outside.
 */
export const customersIn = ({ sales }: Period): { readonly all: number; readonly returning: number } => {
  let all = 0;
  let returning = 0;
  for (const day of sales.values()) {
    all += day.customers;
    returning += day.returning;
  }
  return { all, returning };
};

/** After discounts and what was given back; without tax and shipping. */
export const netSalesOf = ({
  grossSales,
  discounts,
  returns,
}: Pick<SaleSums, 'grossSales' | 'discounts' | 'returns'>): Minor => grossSales - discounts - returns;

const summaryFigures = (period: Period) => {
  const { grossSales, ordersFulfilled, invoices } = sumOf(period.sales.values());
  const { all, returning } = customersIn(period);
  const returningCustomerRate = percentage(returning, all, 1);
  return {
    grossSales,
    returningCustomers: returning,
    returningCustomerRate,
    ordersFulfilled,
    totalOrders: invoices,
  };
};

/** By how much each figure has changed, under its name and `Change`; 0 where nothing is compared. */
const changesOf = <Figure extends string>(
  now: Readonly<Record<Figure, number>>,
  before: Readonly<Record<Figure, number>> | null,
) =>
  Object.fromEntries(
    (Object.keys(now) as Figure[]).map((figure) => [
      `${figure}Change`,
      before ? percentChange(now[figure], before[figure]) : 0,
    ]),
  ) as Readonly<Record<`${Figure}Change`, number>>;

/** Key figures (docs/rules/reporting.md#summary). A sparkline looks at each day as a window of its own. */
export const salesSummary = (period: Period, comparison: Period | null, currency: string): SalesSummary => {
  const now = summaryFigures(period);
  const before = comparison && summaryFigures(comparison);
  const days = daysOf(period.window);
  const perDay = (figure: (day: DayFigures) => number): number[] =>
    days.map((day) => {
      const sold = period.sales.get(day);
      return sold ? figure(sold) : 0;
    });
  return {
    ...now,
    grossSales: toDecimal(now.grossSales, currency),
    ...changesOf(now, before),
    grossSalesSparkline: perDay(({ grossSales }) => toDecimal(grossSales, currency)),
    returningCustomerSparkline: perDay(({ ofPart }) => ofPart.returning),
    ordersFulfilledSparkline: perDay(({ ordersFulfilled }) => ordersFulfilled),
    totalOrdersSparkline: perDay(({ invoices }) => invoices),
  };
};

/** In minor units, but the margin, which is a percentage. */
const breakdownFigures = (period: Period): BreakdownFigures => {
  const { grossSales, discounts, returns, shipping, taxes, cost } = sumOf(period.sales.values());
  const returnFees: Minor = 0;
  const netSales = netSalesOf({ grossSales, discounts, returns });
  const totalSales = netSales + shipping + taxes - returnFees;
  const grossProfit = netSales - cost;
  return {
    grossSales,
    discounts,
    returns,
    netSales,
    shippingCharges: shipping,
    shipping,
    returnFees,
    taxes,
    totalSales,
    total: totalSales,
    totalCost: cost,
    grossProfit,
    grossProfitMargin: percentage(grossProfit, netSales, 2),
  };
};

/** From gross sales to profit (docs/rules/reporting.md#breakdown). */
export const salesBreakdown = (
  period: Period,
  comparison: Period | null,
  currency: string,
): SalesBreakdown => {
  const now = breakdownFigures(period);
  const before = comparison && breakdownFigures(comparison);
  const { grossProfitMargin, ...amounts } = now;
  const answer: Record<string, number> = {};
  for (const [figure, value] of Object.entries(amounts)) {
    answer[figure] = toDecimal(value, currency);
    answer[`${figure}Change`] = before ? percentChange(value, before[figure as keyof typeof before]) : 0;
  }
  const grossProfitMarginChange = before
    ? new Decimal(grossProfitMargin).minus(before.grossProfitMargin).toNumber()
    : 0;
  return { ...answer, grossProfitMargin, grossProfitMarginChange } as unknown as SalesBreakdown;
};

/** How many orders a window had and what they came to: the figures of its summary and of its breakdown. */
export const salesOf = (
  period: Period,
  currency: string,
): { readonly orders: number; readonly sales: number } => ({
  orders: summaryFigures(period).totalOrders,
  sales: toDecimal(breakdownFigures(period).totalSales, currency),
});
