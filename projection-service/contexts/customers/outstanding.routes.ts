import { outstanding, type Outstanding } from '#contracts/account-terms.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { isoInstant } from '#kernel/clock.ts';
import { notFound } from '#kernel/entity.ts';
import type { Document } from '#kernel/projection.ts';
import {
  availableCredit,
  creditUtilization,
  creditWarningLevel,
  isOverLimit,
} from '#values/account-terms.ts';
import { businessDay, startOfDay } from '#values/business-day.ts';
import { toDecimal } from '#values/money.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { orderListProjection } from '../orders/order-list.projection.ts';
import { customerAccountsProjection, type CustomerAccountDocument } from './customer-accounts.projection.ts';
import { customerListProjection, type CustomerDocument } from './customer-list.projection.ts';
import { overdueBy } from './receivable-change.ts';

const file = import.meta.url;

interface Due extends Document {
  readonly dueDate: string | null;
}

/** The first due date that has not passed yet. */
const nextDueDate = async ({ reader: views, clock, settings }: ProjectionDeps, customerId: string) => {
  const today = isoInstant(startOfDay(clock.now(), settings().reportingTimeZone));
  const [next] = await views.find<Due>(orderListProjection.name, {
    filter: { customerId, receivable: 'open', dueDate: { gte: today } },
    sort: [['dueDate', 1]],
    limit: 1,
  });
  return next?.dueDate ?? null;
};

const figures = async (deps: ProjectionDeps, customer: CustomerDocument): Promise<Outstanding> => {
  const { _id: customerId, fields } = customer;
  const account = await deps.reader.get<CustomerAccountDocument>(customerAccountsProjection.name, customerId);
  const { storeCurrencyCode: currency, reportingTimeZone } = deps.settings();
  const use = { creditLimit: fields.creditLimit, outstanding: account?.outstanding ?? 0 };
  const overdue = overdueBy(account?.byDay ?? {}, businessDay(deps.clock.now(), reportingTimeZone));
  const left = availableCredit(use);
  return {
    totalOutstanding: toDecimal(use.outstanding, currency),
    totalOverdue: toDecimal(overdue.amount, currency),
    invoiceCount: account?.openInvoices ?? 0,
    overdueCount: overdue.invoices,
    nextDueDate: use.outstanding > 0 ? await nextDueDate(deps, customerId) : null,
    currencyCode: currency,
    creditLimit: use.creditLimit === null ? null : toDecimal(use.creditLimit, currency),
    creditLimitExceeded: isOverLimit(use),
    availableCredit: left === null ? null : toDecimal(left, currency),
    creditUtilizationPercent: creditUtilization(use),
    creditWarningLevel: creditWarningLevel(use),
  };
};

const findCustomer = async ({ reader: views }: ProjectionDeps, id: string): Promise<CustomerDocument> => {
  const customer = await views.get<CustomerDocument>(customerListProjection.name, id);
  if (!customer) throw notFound('customer');
  return customer;
};

/** What one customer owes (docs/rules/account-terms.md#outstanding). */
export const customerOutstandingRoutes = (deps: ProjectionDeps): readonly Route[] => [
  route({
    method: 'GET',
    base: 'management',
    service: 'projection',
    caller: reader,
    path: '/customers/{id}/outstanding',
    file,
    summary: 'Show what a customer owes, how much of it is overdue, and how much credit is left',
    schemas: { params: entityParams },
    response: outstanding,
    errors: ['entity-not-found'],
    reads: [customerListProjection, customerAccountsProjection, orderListProjection],
    handle: async ({ params: { id } }) => ok(await figures(deps, await findCustomer(deps, id))),
  }),
];
