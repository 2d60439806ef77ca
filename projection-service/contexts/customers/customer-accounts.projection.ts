import type { CustomerEvent } from '#events/customer.events.ts';
import { projection, remove, type Document } from '#kernel/projection.ts';
import type { Minor } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';
import { receivableChange, withReceivable, type ByDueDay, type OwingEvent } from './receivable-change.ts';

/** What a customer owes; missing for a customer who never owed anything. Minor units of the store's currency. */
export interface CustomerAccountDocument extends Document {
  readonly creditLimit: Minor | null;
  readonly outstanding: Minor;
  readonly openInvoices: number;
  /** By the business day on which they are due; those with none are not there. Bounded: days with something owed. */
  readonly byDay: ByDueDay;
}

/** With what an event adds to the invoices that have a due date. */
const dueAfter = (byDay: ByDueDay, event: OwingEvent): ByDueDay => {
  const { dueDay, ...change } = receivableChange(event);
  return dueDay === null ? byDay : withReceivable(byDay, dueDay, change);
};

const nothingOwed = { creditLimit: null, outstanding: 0, openInvoices: 0, byDay: {} };

/** What customers owe, by their ids, as their own streams know it (docs/rules/account-terms.md#outstanding). */
export const customerAccountsProjection = projection<CustomerEvent>()<CustomerAccountDocument>({
  name: 'customer-accounts',
  version: 1,
  indexes: [],
  keys: (event) => [idOf(event.stream)],
  on: {
    CustomerCreditClaimed: (document, event, key) => {
      const { byDay, openInvoices: known } = document ?? nothingOwed;
      // The first logs do not say how many there are, nor when they are due.
      const { outstanding, openInvoices = known + 1, creditLimit = null } = event.data;
      return { _id: key, creditLimit, outstanding, openInvoices, byDay: dueAfter(byDay, event) };
    },
    CustomerOutstandingChanged: (document, event, key) => {
      const before = document ?? { ...nothingOwed, _id: key };
      const left = event.data.amount === 0 ? Math.max(0, before.openInvoices - 1) : before.openInvoices;
      const { outstanding, openInvoices = left, creditLimit = before.creditLimit } = event.data;
      return { _id: key, creditLimit, outstanding, openInvoices, byDay: dueAfter(before.byDay, event) };
    },
    CustomerChanged: (document, { data: { creditLimit } }) => document && { ...document, creditLimit },
    CustomerDeleted: () => remove,
  },
});
