import {
  addCounted,
  type DayFigures,
  type Period,
  type PeriodOptions,
} from '#projection/contexts/reporting/reporting.queries.ts';
import type { Window } from '#projection/contexts/reporting/report-window.ts';
import {
  salesJournalProjection,
  type JournalEntry,
} from '#projection/contexts/reporting/sales-journal.projection.ts';
import { countedIn, isOfDay } from '#projection/contexts/reporting/sales-pages.ts';
import { givenEvents, type GivenEvent } from '../given.ts';

/** What the journal has of events. */
export const journalOf = (...events: readonly GivenEvent[]): readonly JournalEntry[] => [
  ...givenEvents(...events)
    .project(salesJournalProjection, '')
    .documents.values(),
];

/** What a report is made of: the days of a window out of the journal. */
export const periodOf = (
  window: Window,
  journal: readonly JournalEntry[],
  options: PeriodOptions = {},
): Period => {
  const { sourceType: scope = 'all' } = options;
  const known = journal.filter((entry) => entry.scope === scope && !isOfDay(entry));
  const sales = new Map<string, DayFigures>();
  addCounted(sales, countedIn(known, window), window, options);
  return { window, sales };
};

/** What reports say of one day. */
export const dayIn = (
  day: string,
  journal: readonly JournalEntry[],
  options?: PeriodOptions,
): DayFigures | null => periodOf({ start: day, end: day }, journal, options).sales.get(day) ?? null;
