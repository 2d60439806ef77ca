import type { Recorded } from '#kernel/event.ts';
import { projection, type Document } from '#kernel/projection.ts';
import { withChange, type DayTotals, type SalesChange, type Scope } from './day-totals.ts';
import { onReportedEvents, salesChanges, type ReportedEvent } from './sales-changes.ts';

/**
 * What was recorded in one stretch of time of the figures of a business month: signed, as something may be taken back.
 * Two years that are known up to now are some fifty entries, however many sales there were.
 */
export interface JournalEntry extends Document {
  readonly scope: Scope;
  readonly businessMonth: string;
  /** The UTC month of recording, or a UTC day of it: what was recorded is in an entry of both. */
  readonly recorded: string;
  /** Of its days, who bought for the first time. */
  readonly firstBuyers: number;
  /** By business day. */
  readonly days: Readonly<Record<string, DayTotals>>;
}

export type Recording = 'month' | 'day';

export const monthOf = (day: string): string => day.slice(0, 7);

/** Months of recording stand beside each other by business month, days of recording by day. */
export const keyBegin = (scope: Scope, recording: Recording, first = '', second = ''): string =>
  `${scope} ${recording} ${first} ${second}`.trimEnd();

type Known = Pick<JournalEntry, 'scope' | 'businessMonth' | 'recorded'>;

const keyOf = ({ scope, businessMonth, recorded }: Known, recording: Recording): string =>
  recording === 'month'
    ? keyBegin(scope, recording, businessMonth, recorded)
    : keyBegin(scope, recording, recorded, businessMonth);

interface EntryChanges {
  readonly entry: Known;
  readonly changes: SalesChange[];
}

const known = new WeakMap<Recorded<ReportedEvent>, ReadonlyMap<string, EntryChanges>>();

/** By document. Asked for each document of an event, they are worked out once. */
const changesOf = (event: Recorded<ReportedEvent>): ReadonlyMap<string, EntryChanges> => {
  const found = known.get(event);
  if (found) return found;
  const recordedDay = event.recordedAt.slice(0, 10);
  const byKey = new Map<string, EntryChanges>();
  for (const change of salesChanges(event))
    for (const recording of ['month', 'day'] as const) {
      const recorded = recording === 'month' ? monthOf(recordedDay) : recordedDay;
      const entry = { scope: change.scope, businessMonth: monthOf(change.businessDay), recorded };
      const key = keyOf(entry, recording);
      const changed = byKey.get(key) ?? { entry, changes: [] };
      byKey.set(key, changed);
      changed.changes.push(change);
    }
  known.set(event, byKey);
  return byKey;
};

const changed = (
  document: JournalEntry | null,
  event: Recorded<ReportedEvent>,
  key: string,
): JournalEntry | null => {
  const found = changesOf(event).get(key);
  if (!found) return document;
  const days = { ...document?.days };
  let firstBuyers = document?.firstBuyers ?? 0;
  for (const change of found.changes) {
    const { businessDay } = change;
    const before = days[businessDay] ?? {};
    const after = withChange(before, change);
    days[businessDay] = after;
    firstBuyers += (after.customers?.first ?? 0) - (before.customers?.first ?? 0);
  }
  return { _id: key, ...found.entry, firstBuyers, days };
};

/**
 * Sales, in all and by source, by business day and by when they were recorded. A sale counts on the day on which its
 * invoice was created, once it has been confirmed; what happens to it later changes that day. All entries of a business
 * day add up to its sales, those up to some day of recording to what was known of it then
 * (docs/rules/reporting.md#journal).
 */
export const salesJournalProjection = projection<ReportedEvent>()<JournalEntry>({
  name: 'salesJournal',
  version: 4,
  indexes: [],
  keys: (event) => [...changesOf(event).keys()],
  on: onReportedEvents(changed),
});
