import { Decimal } from 'decimal.js';
import type { BreakdownFigures, SalesBreakdown, SalesSummary } from '#contracts/reporting.contract.ts';
import { toDecimal, type Minor } from '#values/money.ts';
import { halfToEven, percentage } from '#values/percentage.ts';
import { figureNames, noSales, type SaleSums } from './day-totals.ts';
import type { DayFigures, Period } from './period.ts';
import { daysOf } from './report-window.ts';

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
