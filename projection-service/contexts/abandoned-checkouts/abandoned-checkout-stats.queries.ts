import {
  chartedCheckoutFigures,
  isCheckoutAmount,
  type AbandonedCheckoutSeries,
  type AbandonedCheckoutStats,
} from '#contracts/abandoned-checkouts.contract.ts';
import { businessDay, dayAfter, dayBefore } from '#values/business-day.ts';
import { symbolOf } from '#values/currency.ts';
import { formatMoney, toDecimal } from '#values/money.ts';
import { percentage } from '#values/percentage.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import {
  abandonedCheckoutDaysProjection,
  countsOf,
  type CheckoutCounts,
  type CheckoutDay,
} from './abandoned-checkout-days.projection.ts';

/** Business days, both included; open where one is left out. */
export interface OpenedDays {
  readonly fromDate?: string | undefined;
  readonly toDate?: string | undefined;
}

const view = abandonedCheckoutDaysProjection.name;
const PAGE = 1000;

const sumOf = (days: readonly CheckoutCounts[]): CheckoutCounts =>
  countsOf((figure) => days.reduce((sum, day) => sum + day[figure], 0));

/** Days on which a checkout was opened. */
const readDays = async (
  { reader }: Pick<ProjectionDeps, 'reader'>,
  { fromDate = '', toDate = '9999' }: OpenedDays,
): Promise<readonly CheckoutDay[]> => {
  const days: CheckoutDay[] = [];
  for (let from: object = { gte: fromDate }; ;) {
    const filter = { _id: { ...from, lte: toDate } };
    const page = await reader.find<CheckoutDay>(view, { filter, sort: [['_id', 1]], limit: PAGE });
    days.push(...page);
    const last = page.at(-1);
    if (page.length < PAGE || !last) return days;
    from = { gt: last._id };
  }
};

/** In all, or in a window. */
const countsIn = async (
  deps: Pick<ProjectionDeps, 'reader'>,
  window: OpenedDays,
): Promise<CheckoutCounts> => {
  if ((window.fromDate ?? window.toDate) !== undefined) return sumOf(await readDays(deps, window));
  const figures = await deps.reader.counters(view);
  return countsOf((figure) => figures[figure] ?? 0);
};

/** What was abandoned, and what came back (docs/rules/abandoned-checkouts.md#statistics). */
export const checkoutStats = async (
  deps: Pick<ProjectionDeps, 'reader' | 'settings'>,
  window: OpenedDays,
): Promise<AbandonedCheckoutStats> => {
  const counts = await countsIn(deps, window);
  const { abandoned, recovered, converted, valueAbandoned, valueRecovered } = counts;
  const { storeCurrencyCode: currency } = deps.settings();
  return {
    totalAbandoned: abandoned,
    totalRecovered: recovered,
    totalConverted: converted,
    recoveryRate: percentage(recovered, abandoned, 2),
    conversionRate: percentage(converted, abandoned, 2),
    totalValueAbandoned: toDecimal(valueAbandoned, currency),
    totalValueRecovered: toDecimal(valueRecovered, currency),
    formattedValueAbandoned: formatMoney(valueAbandoned, currency),
    formattedValueRecovered: formatMoney(valueRecovered, currency),
    currencyCode: currency,
    currencySymbol: symbolOf(currency),
  };
};

/** Shown where no window is asked for. */
const DAYS = 30;
/** A longer window has its end cut off, as that of a time series. */
const MAX_DAYS = 730;

/** Every day of a window. Without a last day it ends today, without a first one it has thirty days. */
const everyDay = ({ fromDate, toDate }: OpenedDays, today: string): readonly string[] => {
  const last = toDate ?? today;
  const days: string[] = [];
  if (fromDate === undefined) {
    for (let day = last; days.length < DAYS; day = dayBefore(day)) days.push(day);
    return days.toReversed();
  }
  for (let day = fromDate; day <= last && days.length < MAX_DAYS; day = dayAfter(day)) days.push(day);
  return days;
};

/** What has become of the checkouts of each day, for charts (docs/rules/abandoned-checkouts.md#statistics). */
export const checkoutSeries = async (
  deps: Pick<ProjectionDeps, 'reader' | 'settings' | 'clock'>,
  window: OpenedDays,
): Promise<AbandonedCheckoutSeries> => {
  const { storeCurrencyCode: currency, reportingTimeZone } = deps.settings();
  const days = everyDay(window, businessDay(deps.clock.now(), reportingTimeZone));
  const read = days.length === 0 ? [] : await readDays(deps, { fromDate: days[0], toDate: days.at(-1) });
  const known = new Map(read.map((day) => [day._id, day]));
  const totals = sumOf(read);
  const series = chartedCheckoutFigures.map((figure) => {
    const isAmount = isCheckoutAmount(figure);
    const shown = (value: number): number => (isAmount ? toDecimal(value, currency) : value);
    return {
      figure,
      unit: isAmount ? ('amount' as const) : ('count' as const),
      points: days.map((day) => ({
        date: `${day}T00:00:00.000Z`,
        value: shown(known.get(day)?.[figure] ?? 0),
      })),
      total: shown(totals[figure]),
    };
  });
  return { interval: 'day', currency, series };
};
