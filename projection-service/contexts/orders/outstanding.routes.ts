import {
  outstandingOfCustomerQuery,
  outstandingInvoice,
  outstandingQuery,
  type OutstandingInvoice,
  type OutstandingOfCustomerQuery,
} from '#contracts/account-terms.contract.ts';
import type { Route } from '#http/route.ts';
import { isoInstant } from '#kernel/clock.ts';
import { defined } from '#kernel/defined.ts';
import { notFound } from '#kernel/entity.ts';
import type { Filter } from '#ports/document-store.ts';
import { startOfDay } from '#values/business-day.ts';
import { toDecimal } from '#values/money.ts';
import { listRoute, type ListOrder } from '../../engine/list-view.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { customerListProjection } from '../customers/customer-list.projection.ts';
import { customerAccountsProjection } from '../customers/customer-accounts.projection.ts';
import { orderListProjection } from './order-list.projection.ts';
import type { OrderDocument } from './order.document.ts';
import { loadRowContext, orderRow } from './orders.queries.ts';

const DAY = 24 * 3_600_000;

/** The first instant of today, and of the day a number of days later. */
const daysFrom = ({ clock, settings }: Pick<ProjectionDeps, 'clock' | 'settings'>, days: number) => {
  const { reportingTimeZone } = settings();
  const today = startOfDay(clock.now(), reportingTimeZone);
  // Noon: on some days clocks change.
  const after = startOfDay(today + (days + 1.5) * DAY, reportingTimeZone);
  return { today: isoInstant(today), after: isoInstant(after) };
};

const dueFilter = (
  deps: ProjectionDeps,
  { overdueOnly, dueWithinDays }: OutstandingOfCustomerQuery,
): Filter => {
  if (!overdueOnly && dueWithinDays === undefined) return {};
  const { today, after } = daysFrom(deps, dueWithinDays ?? 0);
  return { dueDate: overdueOnly ? { lt: today } : { gte: today, lt: after } };
};

const openInvoices = (deps: ProjectionDeps, query: OutstandingOfCustomerQuery): Filter => ({
  receivable: 'open',
  ...dueFilter(deps, query),
  ...(query.search && { searchText: { contains: query.search.toLowerCase() } }),
});

const order: ListOrder = {
  fields: {
    dueDate: 'dueDate',
    date: 'dateCreated',
    total: 'totalInStoreCurrency',
    balanceDue: 'outstandingInStoreCurrency',
    invoiceNumber: 'invoiceNumber',
    customerName: 'customerKey',
  },
  newest: 'dateCreated',
};

const rowsOf = async (
  deps: ProjectionDeps,
  documents: readonly OrderDocument[],
): Promise<OutstandingInvoice[]> => {
  const asked = await loadRowContext(deps, documents);
  return documents.map((document) => {
    const row = orderRow(document, asked);
    const { customerId, email, purchaseOrder, balance, outstandingInStoreCurrency } = document;
    return {
      ...row,
      customerId,
      customerEmail: email,
      purchaseOrder,
      balanceDue: toDecimal(balance.balanceDue, row.currencyCode),
      balanceDueInStoreCurrency: toDecimal(outstandingInStoreCurrency, row.storeCurrencyCode),
    };
  });
};

/** Who owes what, to be read by the backoffice (docs/rules/account-terms.md#who-owes). */
export const outstandingRoutes = (deps: ProjectionDeps): readonly Route[] => {
  const shared = {
    view: orderListProjection,
    reads: [customerAccountsProjection],
    order,
    row: outstandingInvoice,
    rows: (documents: readonly OrderDocument[]) => rowsOf(deps, documents),
    file: import.meta.url,
  };
  return [
    listRoute<OrderDocument, typeof outstandingQuery>(deps, {
      ...shared,
      path: '/orders/outstanding',
      summary: 'List invoices that are still to be paid, by due date',
      query: outstandingQuery,
      filter: ({ accountCustomersOnly, customerId, ...query }) => ({
        ...openInvoices(deps, query),
        ...(accountCustomersOnly && { customerTerms: 'account' }),
        ...defined({ customerId }),
      }),
    }),
    listRoute<OrderDocument, typeof outstandingOfCustomerQuery>(deps, {
      ...shared,
      path: '/customers/{id}/outstanding/invoices',
      summary: 'List the invoices that a customer still has to pay, by due date',
      query: outstandingOfCustomerQuery,
      reads: [customerListProjection, customerAccountsProjection],
      filter: (query) => openInvoices(deps, query),
      within: async (customerId) => {
        if (!(await deps.reader.get(customerListProjection.name, customerId))) throw notFound('customer');
        return { customerId };
      },
    }),
  ];
};
