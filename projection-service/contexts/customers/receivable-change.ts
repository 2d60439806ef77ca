import type { CustomerEvent } from '#events/customer.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Minor } from '#values/money.ts';

/** Some invoices that are owed, or how many more or fewer are owed than before. Store currency. */
export interface OutstandingSum {
  readonly amount: Minor;
  readonly invoices: number;
}

export type OwingEvent = EventOfType<CustomerEvent, 'CustomerCreditClaimed' | 'CustomerOutstandingChanged'>;

/** By the business day on which it is due. */
export type ByDueDay = Readonly<Record<string, OutstandingSum>>;

/** What an event adds to what is due on a business day. */
export interface ReceivableChange extends OutstandingSum {
  /** Null for what has no due date. */
  readonly dueDay: string | null;
}

export const nothingOutstanding: OutstandingSum = { amount: 0, invoices: 0 };

export const addOutstanding = (one: OutstandingSum, other: OutstandingSum): OutstandingSum => ({
  amount: one.amount + other.amount,
  invoices: one.invoices + other.invoices,
});

/** The one place where what is owed becomes a sum of changes. The first logs do not say what was owed before. */
export const receivableChange = ({ type, data }: OwingEvent): ReceivableChange => {
  const { amount, dueDay = null } = data;
  const before = type === 'CustomerOutstandingChanged' ? (data.amountBefore ?? 0) : 0;
  return { dueDay, amount: amount - before, invoices: (amount > 0 ? 1 : 0) - (before > 0 ? 1 : 0) };
};

/** A day that comes to nothing is left out. */
export const withReceivable = (byDueDay: ByDueDay, day: string, change: OutstandingSum): ByDueDay => {
  const { [day]: before = nothingOutstanding, ...others } = byDueDay;
  const after = addOutstanding(before, change);
  return after.amount === 0 && after.invoices === 0 ? others : { ...others, [day]: after };
};

/** What was due on an earlier day than today. */
export const overdueBy = (byDueDay: ByDueDay, today: string): OutstandingSum =>
  Object.entries(byDueDay).reduce(
    (overdue, [day, sum]) => (day < today ? addOutstanding(overdue, sum) : overdue),
    nothingOutstanding,
  );
