import { daysBetween } from '#values/business-day.ts';
import { countOver, noCounts, type CountsByDays } from './counts-by-days.ts';
import type { DayTotals } from './day-totals.ts';
import type { Window } from './report-window.ts';
import { firstOf, type JournalEntry } from './sales-journal.projection.ts';

/** Whose first purchase in a window this is, and of those, who had bought before it began. */
export interface WindowCustomers {
  readonly customers: number;
  readonly returning: number;
}

export const noCustomers: WindowCustomers = { customers: 0, returning: 0 };

/** Whether who had bought before a window is known of the whole month: it began no later, and has all of its days. */
export const isByMonth = ({ businessMonth, days, earlier }: JournalEntry, { start, end }: Window): boolean =>
  earlier !== undefined && start <= firstOf(businessMonth) && Object.keys(days).every((day) => day <= end);

/** Whether it must be told from day to day by how many days before it customers had bought. */
export const needsBuyers = (entry: JournalEntry, window: Window, partOf: (day: string) => Window): boolean =>
  entry.earlier !== undefined &&
  Object.keys(entry.days)
    .filter((day) => day >= window.start && day <= window.end)
    .some((day) => [window, partOf(day)].some((one) => one.start < day && !isByMonth(entry, one)));

interface CustomersOn {
  readonly day: string;
  readonly totals: DayTotals;
  /** Has the days since customers had bought. */
  readonly buyers: JournalEntry | null;
}

/** The customers of a day, without those whose earlier purchase is known of the whole month. */
export const customersOfDay = (
  { day, totals, buyers }: CustomersOn,
  { start, end }: Window,
  isKnownByMonth: boolean,
): WindowCustomers => {
  const { first = 0, again = 0, elsewhere = 0, byDaysUntil } = totals.customers ?? {};
  const { byDaysSince, byDaysSinceFirst } = buyers?.days[day]?.customers ?? {};
  const before = (all: number, counts: CountsByDays = noCounts): number => {
    if (isKnownByMonth) return 0;
    return start >= day ? all : countOver(counts, daysBetween(start, day));
  };
  const known = before(again, byDaysSince);
  const later = byDaysUntil === undefined ? 0 : countOver(byDaysUntil, daysBetween(day, end));
  return {
    customers: first + elsewhere + known + later,
    returning: known + before(elsewhere, byDaysSinceFirst),
  };
};

/** Those whose earlier purchase is known of the whole month. */
export const customersByMonth = (entry: JournalEntry, window: Window): WindowCustomers => {
  if (!entry.earlier || !isByMonth(entry, window)) return noCustomers;
  const days = daysBetween(window.start, firstOf(entry.businessMonth));
  const last = countOver(entry.earlier.last, days);
  return { customers: last, returning: last + countOver(entry.earlier.firstElsewhere, days) };
};
