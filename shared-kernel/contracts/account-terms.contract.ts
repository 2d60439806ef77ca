import { z } from 'zod';
import { listFields } from './listing.contract.ts';
import { guid } from '#fields/body-fields.ts';
import { orderRow } from './orders.contract.ts';
import { calendarDay } from './reporting.contract.ts';

/** What customers owe (docs/rules/account-terms.md). Amounts in the store's currency. */

const amount = z.number();

export const outstanding = z.object({
  totalOutstanding: amount,
  totalOverdue: amount,
  invoiceCount: z.int(),
  overdueCount: z.int(),
  /** The first one that is not overdue. */
  nextDueDate: z.string().nullable(),
  currencyCode: z.string(),
  /** Null: without limit, as the next two. */
  creditLimit: amount.nullable(),
  creditLimitExceeded: z.boolean(),
  availableCredit: amount.nullable(),
  creditUtilizationPercent: z.number().nullable(),
  creditWarningLevel: z.enum(['exceeded', 'warning', 'ok']),
});
export type Outstanding = z.output<typeof outstanding>;

/** An invoice that is owed: a row of the list of orders, and what is still to be paid. */
export const outstandingInvoice = orderRow.extend({
  customerId: z.string().nullable(),
  customerEmail: z.string().nullable(),
  purchaseOrder: z.string().nullable(),
  balanceDue: amount,
  balanceDueInStoreCurrency: amount,
});
export type OutstandingInvoice = z.output<typeof outstandingInvoice>;

const flag = (byDefault: 'true' | 'false') =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .default(byDefault)
    .transform((given) => given === 'true');

/** A year and more: a longer look ahead is no filter. */
const MAX_DAYS = 3660;

/** What is owed by all customers: by due date unless asked otherwise. */
const outstandingFields = {
  ...listFields(),
  sortBy: z.string().default('dueDate'),
  overdueOnly: flag('false'),
  /** Due today, or within this many days. */
  dueWithinDays: z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .min(0, 'must be a number of days')
    .max(MAX_DAYS, `must be at most ${MAX_DAYS} days`)
    .optional(),
};

export const outstandingOfCustomerQuery = z.object(outstandingFields);
export type OutstandingOfCustomerQuery = z.output<typeof outstandingOfCustomerQuery>;

export const outstandingQuery = z.object({
  ...outstandingFields,
  customerId: guid.optional(),
  accountCustomersOnly: flag('true'),
});

export const statementQuery = z
  .object({
    /** Left out: from the first sale on. */
    startDate: calendarDay.optional(),
    /** Left out: up to today. */
    endDate: calendarDay.optional(),
    format: z.enum(['json', 'pdf'], 'must be json or pdf').default('json'),
  })
  .superRefine(({ startDate, endDate }, context) => {
    if (startDate !== undefined && endDate !== undefined && endDate < startDate)
      context.addIssue({
        code: 'custom',
        path: ['endDate'],
        message: 'a day must not be before startDate',
      });
  });
export type StatementQuery = z.output<typeof statementQuery>;

const statementLine = z.object({
  date: z.string(),
  type: z.enum(['Invoice', 'Payment', 'Refund']),
  reference: z.string(),
  description: z.string(),
  debit: amount,
  credit: amount,
  /** After the line. */
  balance: amount,
});

/** By days past due: up to 30, up to 60, up to 90, more. */
export const ageing = z.object({
  current: amount,
  thirtyPlus: amount,
  sixtyPlus: amount,
  ninetyPlus: amount,
  total: amount,
});

export const statement = z.object({
  customerId: z.string(),
  customerName: z.string(),
  customerEmail: z.string().nullable(),
  currencyCode: z.string(),
  startDate: z.string(),
  endDate: z.string(),
  openingBalance: amount,
  lines: z.array(statementLine),
  closingBalance: amount,
  ageing,
});
export type StatementResponse = z.output<typeof statement>;
