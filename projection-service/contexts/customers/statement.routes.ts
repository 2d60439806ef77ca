import {
  statement as statementSchema,
  statementQuery,
  type StatementResponse,
  type StatementQuery,
} from '#contracts/account-terms.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { isoInstant } from '#kernel/clock.ts';
import { notFound, refuseProblems } from '#kernel/entity.ts';
import type { Filter } from '#ports/document-store.ts';
import { businessDay, dayAfter, startOfNamedDay } from '#values/business-day.ts';
import { toDecimal, type Minor } from '#values/money.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { accountSalesProjection, type AccountSaleDocument } from './account-sales.projection.ts';
import { customerListProjection, type CustomerDocument } from './customer-list.projection.ts';
import { statementPdf } from './statement-pdf.ts';
import { statementOf, type Period, type Statement } from './statement.ts';

const view = accountSalesProjection.name;
const BATCH = 1000;
/** Beyond this a statement is asked for in parts. */
const MAX_SALES = 10_000;

/** Nothing is due on a day that is still to come. */
const periodOf = ({ clock, settings }: ProjectionDeps, { startDate, endDate }: StatementQuery) => {
  const timeZone = settings().reportingTimeZone;
  const today = businessDay(clock.now(), timeZone);
  const end = endDate ?? today;
  const instant = (day: string): string => isoInstant(startOfNamedDay(day, timeZone));
  const period: Period = {
    from: startDate === undefined ? null : instant(startDate),
    to: instant(dayAfter(end)),
    on: end < today ? end : today,
    timeZone,
  };
  return { period, end };
};

/** Page by page, so that no turn of the event loop grows with what a customer has bought. */
const salesWhere = async (deps: ProjectionDeps, filter: Filter): Promise<readonly AccountSaleDocument[]> => {
  const sales: AccountSaleDocument[] = [];
  for (;;) {
    const page = await deps.reader.find<AccountSaleDocument>(view, {
      filter,
      sort: [['lastEntryAt', 1]],
      skip: sales.length,
      limit: BATCH,
    });
    sales.push(...page);
    if (sales.length > MAX_SALES)
      refuseProblems([
        `startDate: must be a later day: there are more than ${MAX_SALES.toLocaleString('en')} sales`,
      ]);
    if (page.length < BATCH) return sales;
  }
};

const read = async (deps: ProjectionDeps, customerId: string, period: Period): Promise<Statement> => {
  if (period.from === null) return statementOf(await salesWhere(deps, { customerId }), 0, period);
  const earlier = { lastEntryAt: { lt: period.from } };
  const [active, open, balance] = await Promise.all([
    salesWhere(deps, { customerId, lastEntryAt: { gte: period.from } }),
    salesWhere(deps, { customerId, state: 'open', ...earlier }),
    deps.reader.sum(view, 'balance', { customerId, ...earlier }),
  ]);
  const ofOpen = open.reduce((sum, sale) => sum + sale.balance, 0);
  return statementOf([...active, ...open], balance - ofOpen, period);
};

const responseOf = (
  { _id, fields }: CustomerDocument,
  statement: Statement,
  days: Pick<StatementResponse, 'startDate' | 'endDate'>,
  currency: string,
): StatementResponse => {
  const decimal = (amount: Minor): number => toDecimal(amount, currency);
  const { ageing } = statement;
  return {
    customerId: _id,
    customerName: [fields.firstName, fields.lastName].filter(Boolean).join(' '),
    customerEmail: fields.email,
    currencyCode: currency,
    ...days,
    openingBalance: decimal(statement.openingBalance),
    lines: statement.lines.map(({ debit, credit, balance, ...line }) => ({
      ...line,
      debit: decimal(debit),
      credit: decimal(credit),
      balance: decimal(balance),
    })),
    closingBalance: decimal(statement.closingBalance),
    ageing: {
      current: decimal(ageing.current),
      thirtyPlus: decimal(ageing.thirtyPlus),
      sixtyPlus: decimal(ageing.sixtyPlus),
      ninetyPlus: decimal(ageing.ninetyPlus),
      total: decimal(ageing.total),
    },
  };
};

/** The account of a customer over a period (docs/rules/account-terms.md#statement). */
export const statementRoutes = (deps: ProjectionDeps): readonly Route[] => [
  route({
    method: 'GET',
    base: 'management',
    service: 'projection',
    caller: reader,
    path: '/customers/{id}/statement',
    file: import.meta.url,
    summary: "Show a customer's account over a period, with what is owed by age; format=pdf prints it",
    schemas: { params: entityParams, query: statementQuery },
    response: statementSchema,
    errors: ['entity-not-found', 'invalid-request'],
    reads: [customerListProjection, accountSalesProjection],
    handle: async ({ params: { id }, query }) => {
      const customer = await deps.reader.get<CustomerDocument>(customerListProjection.name, id);
      if (!customer) throw notFound('customer');
      const { period, end } = periodOf(deps, query);
      const statement = await read(deps, id, period);
      const first = statement.lines[0]?.date;
      const startDate =
        query.startDate ?? (first === undefined ? end : businessDay(Date.parse(first), period.timeZone));
      const { storeCurrencyCode: currency, name: storeName } = deps.settings();
      const answer = responseOf(customer, statement, { startDate, endDate: end }, currency);
      if (query.format === 'json') return ok(answer);
      return {
        status: 200,
        stream: statementPdf(answer, { storeName, timeZone: period.timeZone }),
        headers: {
          'Content-Type': 'application/pdf',
          'Content-Disposition': `attachment; filename="statement-${startDate}-${end}.pdf"`,
        },
      };
    },
  }),
];
