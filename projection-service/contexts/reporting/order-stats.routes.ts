import { orderStats, statsQuery, type OrderStats } from '#contracts/orders.contract.ts';
import { reader, route, type Route } from '#http/route.ts';
import { businessDay, startOfDay } from '#values/business-day.ts';
import { toDecimal } from '#values/money.ts';
import { answerAsOf, type Moment } from '../../engine/moments.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import {
  receivablesAfter,
  receivablesNow,
  receivablesProjection,
  type Receivables,
  type ReceivablesDay,
} from '../customers/receivables.projection.ts';
import { orderListProjection } from '../orders/order-list.projection.ts';
import { dayFulfilmentProjection, isFulfilled, type InvoiceOrders } from './day-fulfilment.ts';
import { readPeriod } from './period.ts';
import { sumOf } from './reporting.queries.ts';
import { salesJournalProjection } from './sales-journal.projection.ts';

type Views = ProjectionDeps['reader'];

/** Days of recording read at once. */
const PAGE = 400;

/** What was owed at a moment, from the day's point of view: the sum of what was added on each day of recording. */
const receivablesThen = async (views: Views, today: string, moment: Moment): Promise<Receivables> => {
  const view = receivablesProjection;
  const days: ReceivablesDay[] = [];
  for (let after = ''; ;) {
    const page: readonly ReceivablesDay[] = await views.find<ReceivablesDay>(view.name, {
      filter: { _id: { gt: after, lt: moment.recordedDay } },
      sort: [['_id', 1]],
      limit: PAGE,
    });
    days.push(...page);
    if (page.length < PAGE) break;
    after = page.at(-1)?._id ?? after;
  }
  return receivablesAfter(today, [...days, ...(await moment.recordedThatDay<ReceivablesDay>(view))]);
};

const receivablesAt = async (views: Views, today: string, moment: Moment | undefined): Promise<Receivables> =>
  moment
    ? moment.remember(`receivables ${today}`, () => receivablesThen(views, today, moment))
    : receivablesNow(today, await views.counters(receivablesProjection.name));

const fulfilled = { fulfillmentStatus: 'Fulfilled', cancellationStatus: 'active' } as const;

/**
 * Invoices of the day whose orders are all on their way. At a moment of the past they are made of the log once more:
 * whatever happened to them until then was recorded on that day.
 */
const countFulfilled = (
  { reader: views, settings }: ProjectionDeps,
  today: string,
  moment: Moment | undefined,
): Promise<number> => {
  if (!moment) return views.count(orderListProjection.name, { businessDay: today, ...fulfilled });
  return moment.remember(`fulfilled ${today}`, async () => {
    const begun = startOfDay(moment.instant, settings().reportingTimeZone);
    const ofDay = await moment.recordedSince<InvoiceOrders>(dayFulfilmentProjection, begun);
    return ofDay.filter((invoice) => invoice.businessDay === today && isFulfilled(invoice)).length;
  });
};

/** The day so far, and what is to be paid (docs/rules/orders.md#statistics). */
export const orderStatsRoute = (deps: ProjectionDeps): Route => {
  const { reader: views, clock, settings } = deps;
  const stats = async (moment: Moment | undefined): Promise<OrderStats> => {
    const { reportingTimeZone, storeCurrencyCode } = settings();
    const today = businessDay(moment?.instant ?? clock.now(), reportingTimeZone);
    const [sold, fulfilledToday, due] = await Promise.all([
      readPeriod(views, { start: today, end: today }, { asOf: moment }),
      countFulfilled(deps, today, moment),
      receivablesAt(views, today, moment),
    ]);
    const { invoices, items } = sumOf(sold.sales.values());
    return {
      ordersToday: invoices,
      itemsOrderedToday: items,
      ordersFulfilledToday: fulfilledToday,
      totalOutstandingValue: toDecimal(due.value, storeCurrencyCode),
      outstandingInvoiceCount: due.count,
      overdueInvoiceCount: due.overdue,
      currencyCode: storeCurrencyCode,
      orders: invoices,
      items,
      fulfilled: fulfilledToday,
      outstanding: due.count,
    };
  };
  return route({
    method: 'GET',
    base: 'management',
    service: 'projection',
    caller: reader,
    file: import.meta.url,
    path: '/orders/stats',
    summary: "Today's orders, and what is still to be paid",
    schemas: { query: statsQuery },
    response: orderStats,
    reads: [orderListProjection, salesJournalProjection, receivablesProjection],
    handle: ({ query }) =>
      answerAsOf(deps, query.asOf, [salesJournalProjection, receivablesProjection], stats),
  });
};
