import {
  addEntry,
  type DayFigures,
  type Period,
  type PeriodOptions,
} from '#projection/contexts/reporting/period.ts';
import { customersIn } from '#projection/contexts/reporting/reporting.queries.ts';
import type { Window } from '#projection/contexts/reporting/report-window.ts';
import {
  keyOf,
  salesJournalProjection,
  type JournalEntry,
} from '#projection/contexts/reporting/sales-journal.projection.ts';
import { givenEvents, type GivenEvent } from '../given.ts';

/** What the journal has of events. */
export const journalOf = (...events: readonly GivenEvent[]): readonly JournalEntry[] => [
  ...givenEvents(...events)
    .project(salesJournalProjection, '')
    .documents.values(),
];

/** Of a day of recording, and not of a month. */
export const isOfDay = ({ recorded }: JournalEntry): boolean => recorded.length > 'YYYY-MM'.length;

/** What a report is made of: the days of a window out of the journal, by months of recording or by days. */
export const periodOf = (
  window: Window,
  journal: readonly JournalEntry[],
  options: PeriodOptions = {},
  recording: 'months' | 'days' = 'months',
): Period => {
  const { sourceType: scope = 'all' } = options;
  const byKey = new Map(journal.map((entry) => [entry._id, entry]));
  const sales = new Map<string, DayFigures>();
  const isAsked = recording === 'days' ? isOfDay : ({ earlier }: JournalEntry) => earlier !== undefined;
  for (const entry of journal.filter((one) => one.scope === scope && isAsked(one))) {
    const buyers = recording === 'days' ? entry : (byKey.get(keyOf(entry, 'buyers')) ?? null);
    addEntry(sales, { entry, buyers }, window, { countsCustomers: true, ...options });
  }
  return { window, sales };
};

/** What reports say of one day. */
export const dayIn = (
  day: string,
  journal: readonly JournalEntry[],
  options?: PeriodOptions,
): DayFigures | null => periodOf({ start: day, end: day }, journal, options).sales.get(day) ?? null;

/** What a period says: days on which everything is 0 are like none, and customers are those of the whole window. */
export const saidBy = (period: Period) => ({
  days: Object.fromEntries(
    [...period.sales]
      .map(([day, { customers: _, returning: __, ...figures }]) => [day, figures] as const)
      .filter(([, figures]) => /[1-9]/.test(JSON.stringify(figures)))
      .toSorted(),
  ),
  customers: customersIn(period),
});
