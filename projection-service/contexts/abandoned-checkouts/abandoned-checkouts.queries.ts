import type {
  AbandonedCheckoutListQuery,
  AbandonedCheckoutRow,
} from '#contracts/abandoned-checkouts.contract.ts';
import { isoInstant } from '#kernel/clock.ts';
import { defined } from '#kernel/defined.ts';
import type { Figures } from '#kernel/projection.ts';
import type { Filter } from '#ports/document-store.ts';
import { presentationFor } from '#reference/presentation.ts';
import { dayAfter, startOfNamedDay } from '#values/business-day.ts';
import { displayAmount } from '#values/exchange.ts';
import { formatMoney, toDecimal, type Minor } from '#values/money.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import type { AbandonedCheckoutDocument } from './abandoned-checkout.document.ts';

type Dates = Pick<AbandonedCheckoutListQuery, 'fromDate' | 'toDate'>;

const openedWithin = ({ fromDate, toDate }: Dates, timeZone: string): Filter => {
  const startOf = (day: string): string => isoInstant(startOfNamedDay(day, timeZone));
  const gte = fromDate === undefined ? {} : { gte: startOf(fromDate) };
  const lt = toDate === undefined ? {} : { lt: startOf(dayAfter(toDate)) };
  return (fromDate ?? toDate) === undefined ? {} : { dateCreated: { ...gte, ...lt } };
};

export const checkoutFilter = (query: AbandonedCheckoutListQuery, timeZone: string): Filter => ({
  ...defined({ status: query.status }),
  ...openedWithin(query, timeZone),
  ...(query.search && { searchText: { contains: query.search.toLowerCase() } }),
});

/** How many checkouts a query finds; undefined for one that has to look. */
export const countedCheckouts = (
  { search, fromDate, toDate, status }: AbandonedCheckoutListQuery,
  figures: Figures,
): number | undefined => {
  if (search || (fromDate ?? toDate) !== undefined) return undefined;
  if (status !== undefined) return figures[status] ?? 0;
  return Object.values(figures).reduce((sum, count) => sum + count, 0);
};

const cssClasses = {
  Active: 'badge-default',
  Abandoned: 'badge-warning',
  Recovered: 'badge-positive',
  Converted: 'badge-positive',
  Expired: 'badge-danger',
} as const;

/** As it was abandoned or ordered, else at the rate of now. */
const shownTotal = (
  deps: Pick<ProjectionDeps, 'settings' | 'reference'>,
  { figures, total, displayCurrency }: AbandonedCheckoutDocument,
): { readonly total: Minor; readonly currency: string } => {
  if (figures) return figures;
  const { storeCurrency, display } = presentationFor(deps, displayCurrency);
  return { total: displayAmount(total, storeCurrency, display), currency: display.currency };
};

export const checkoutRow = (
  deps: Pick<ProjectionDeps, 'settings' | 'reference'>,
  document: AbandonedCheckoutDocument,
): AbandonedCheckoutRow => {
  const { total, currency } = shownTotal(deps, document);
  const { status } = document;
  return {
    id: document._id,
    customerEmail: document.email,
    customerName: document.customerName,
    basketTotal: toDecimal(total, currency),
    formattedTotal: formatMoney(total, currency),
    itemCount: document.lineCount,
    status,
    statusDisplay: status,
    statusCssClass: cssClasses[status],
    lastActivityUtc: document.lastActivityAt,
    dateAbandoned: document.abandonedAt,
    recoveryEmailsSent: document.mailsSent,
    currencyCode: currency,
  };
};
