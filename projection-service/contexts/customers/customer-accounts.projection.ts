import type { CustomerEvent } from '#events/customer.events.ts';
import { projection, remove, type Document } from '#kernel/projection.ts';
import type { Minor } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';

/** Some invoices that are owed. */
export interface OutstandingSum {
  readonly amount: Minor;
  readonly invoices: number;
}

/** What a customer owes; missing for a customer who never owed anything. Minor units of the store's currency. */
export interface CustomerAccountDocument extends Document {
  readonly creditLimit: Minor | null;
  readonly outstanding: Minor;
  readonly openInvoices: number;
  /** By the business day on which they are due; those with none are not there. Bounded: days with something owed. */
  readonly byDay: Readonly<Record<string, OutstandingSum>>;
}

const withDay = (
  byDay: CustomerAccountDocument['byDay'],
  day: string | null | undefined,
  amount: Minor,
  invoices: number,
): CustomerAccountDocument['byDay'] => {
  if (day === null || day === undefined) return byDay;
  const { [day]: before = { amount: 0, invoices: 0 }, ...others } = byDay;
  const after = { amount: before.amount + amount, invoices: before.invoices + invoices };
  return after.invoices > 0 ? { ...others, [day]: after } : others;
};

const nothingOwed = { creditLimit: null, outstanding: 0, openInvoices: 0, byDay: {} };

/** What customers owe, by their ids, as their own streams know it (docs/rules/account-terms.md#outstanding). */
export const customerAccountsProjection = projection<CustomerEvent>()<CustomerAccountDocument>({
  name: 'customer-accounts',
  version: 1,
  indexes: [],
  keys: (event) => [idOf(event.stream)],
  on: {
    CustomerCreditClaimed: (document, { data }, key) => {
      const { byDay: before, openInvoices: known } = document ?? nothingOwed;
      // The first logs do not say how many there are, nor when they are due.
      const { outstanding, openInvoices = known + 1, creditLimit = null, dueDay, amount } = data;
      const byDay = withDay(before, dueDay, amount, 1);
      return { _id: key, creditLimit, outstanding, openInvoices, byDay };
    },
    CustomerOutstandingChanged: (document, { data }, key) => {
      const before = document ?? { ...nothingOwed, _id: key };
      const { amount, amountBefore = 0, dueDay } = data;
      const left = amount === 0 ? Math.max(0, before.openInvoices - 1) : before.openInvoices;
      const { outstanding, openInvoices = left, creditLimit = before.creditLimit } = data;
      const invoices = (amount > 0 ? 1 : 0) - (amountBefore > 0 ? 1 : 0);
      const byDay = withDay(before.byDay, dueDay, amount - amountBefore, invoices);
      return { _id: key, creditLimit, outstanding, openInvoices, byDay };
    },
    CustomerChanged: (document, { data: { creditLimit } }) => document && { ...document, creditLimit },
    CustomerDeleted: () => remove,
  },
});
