import { dashboardStats, type DashboardStats } from '#contracts/orders.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { isoInstant } from '#kernel/clock.ts';
import { businessDay, dayBefore, startOfDay } from '#values/business-day.ts';
import { symbolOf } from '#values/currency.ts';
import { toDecimal } from '#values/money.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { productListProjection } from '../catalogue/product-list.projection.ts';
import { customerListProjection } from '../customers/customer-list.projection.ts';
import { dailySalesProjection } from './daily-sales.projection.ts';
import { percentChange, readPeriod, sumOf } from './reporting.queries.ts';

const firstOfMonth = (day: string): string => `${day.slice(0, 7)}-01`;

/** The instant at which this month began, in the shop's time zone: the first days of a month are close together. */
const startOfMonth = (now: number, timeZone: string): string => {
  const month = businessDay(now, timeZone).slice(0, 7);
  let start = startOfDay(now, timeZone);
  while (businessDay(start - 1, timeZone).startsWith(month)) start = startOfDay(start - 1, timeZone);
  return isoInstant(start);
};

const monthStats = async (deps: ProjectionDeps): Promise<DashboardStats> => {
  const { reader: views, clock, settings } = deps;
  const { storeCurrencyCode: currency, reportingTimeZone: timeZone } = settings();
  const now = clock.now();
  const today = businessDay(now, timeZone);
  const month = { start: firstOfMonth(today), end: today };
  const end = dayBefore(month.start);
  const [sold, before, productCount, productCountChange, { buyers = 0 }] = await Promise.all([
    readPeriod(views, month),
    readPeriod(views, { start: firstOfMonth(end), end }),
    views.count(productListProjection.name),
    views.count(productListProjection.name, { dateCreated: { gte: startOfMonth(now, timeZone) } }),
    views.counters(customerListProjection.name),
  ]);
  const newcomers = [...sold.sales.values()].reduce(
    (sum, { customers, returning }) => sum + customers - returning,
    0,
  );
  const [figures, previous] = [sumOf(sold.sales.values()), sumOf(before.sales.values())];
  return {
    storeCurrencyCode: currency,
    storeCurrencySymbol: symbolOf(currency),
    ordersThisMonth: figures.invoices,
    ordersChangePercent: percentChange(figures.invoices, previous.invoices),
    revenueThisMonth: toDecimal(figures.total, currency),
    revenueChangePercent: percentChange(figures.total, previous.total),
    productCount,
    productCountChange,
    customerCount: buyers,
    customerCountChange: newcomers,
  };
};

/** The month so far, for the first page of the backoffice (docs/rules/reporting.md#dashboard). */
export const dashboardStatsRoute = (deps: ProjectionDeps): Route =>
  route({
    method: 'GET',
    base: 'management',
    service: 'projection',
    caller: reader,
    file: import.meta.url,
    path: '/orders/dashboard-stats',
    summary: 'Orders, revenue, products and customers of this month, compared with the whole month before',
    response: dashboardStats,
    reads: [dailySalesProjection, productListProjection, customerListProjection],
    handle: async () => ok(await monthStats(deps)),
  });
