import { dashboardQuery, dashboardStats, type DashboardStats } from '#contracts/orders.contract.ts';
import { reader, route, type Route } from '#http/route.ts';
import { isoInstant } from '#kernel/clock.ts';
import { defined } from '#kernel/defined.ts';
import { businessDay, dayBefore, startOfDay } from '#values/business-day.ts';
import { symbolOf } from '#values/currency.ts';
import { toDecimal } from '#values/money.ts';
import { answerAsOf, type Moment } from '../../engine/moments.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { productLivesProjection } from '../catalogue/product-lives.projection.ts';
import type { Scope } from './day-totals.ts';
import { readPeriod, type SalesFilter } from './period.ts';
import { percentChange, sumOf } from './reporting.queries.ts';
import { salesJournalProjection } from './sales-journal.projection.ts';
import { customersKnown } from './sales-pages.ts';

const firstOfMonth = (day: string): string => `${day.slice(0, 7)}-01`;

/** The instant at which this month began, in the shop's time zone: the first days of a month are close together. */
const startOfMonth = (now: number, timeZone: string): string => {
  const month = businessDay(now, timeZone).slice(0, 7);
  let start = startOfDay(now, timeZone);
  while (businessDay(start - 1, timeZone).startsWith(month)) start = startOfDay(start - 1, timeZone);
  return isoInstant(start);
};

/** Products that were there at a moment; those created since an ISO instant alone. */
const productsAt = async (
  views: ProjectionDeps['reader'],
  moment: Moment | undefined,
  since?: string,
): Promise<number> => {
  const upTo = { lte: moment?.position ?? Number.MAX_SAFE_INTEGER };
  const created = since === undefined ? {} : { createdAt: { gte: since } };
  const [made, deleted] = await Promise.all([
    views.count(productLivesProjection.name, { ...created, createdPosition: upTo }),
    views.count(productLivesProjection.name, { ...created, deletedPosition: upTo }),
  ]);
  return made - deleted;
};

/** Customers with a sale that stood at a moment: each has one that was the first. */
const customersAt = async (
  views: ProjectionDeps['reader'],
  scope: Scope,
  moment: Moment | undefined,
): Promise<number> =>
  moment
    ? moment.remember(`customers ${scope}`, () => customersKnown(views, scope, moment))
    : customersKnown(views, scope, undefined);

const monthStats = async (
  deps: ProjectionDeps,
  { includeCancelled, sourceType }: SalesFilter,
  moment: Moment | undefined,
): Promise<DashboardStats> => {
  const { reader: views, clock, settings } = deps;
  const { storeCurrencyCode: currency, reportingTimeZone: timeZone } = settings();
  const now = moment?.instant ?? clock.now();
  const today = businessDay(now, timeZone);
  const month = { start: firstOfMonth(today), end: today };
  const end = dayBefore(month.start);
  const filter = defined({ includeCancelled, sourceType, asOf: moment });
  const [sold, before, productCount, productCountChange, customerCount] = await Promise.all([
    readPeriod(views, month, { ...filter, countsCustomers: true }),
    readPeriod(views, { start: firstOfMonth(end), end }, filter),
    productsAt(views, moment),
    productsAt(views, moment, startOfMonth(now, timeZone)),
    customersAt(views, sourceType ?? 'all', moment),
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
    customerCount,
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
    schemas: { query: dashboardQuery },
    reads: [salesJournalProjection, productLivesProjection],
    handle: ({ query }) =>
      answerAsOf(deps, query.asOf, [salesJournalProjection, productLivesProjection], (moment) =>
        monthStats(deps, query, moment),
      ),
  });
