import type { Recorded } from '#kernel/event.ts';
import { projection, type Document } from '#kernel/projection.ts';
import {
  noTotals,
  onReportedEvents,
  salesChanges,
  withChange,
  type ReportedEvent,
  type SalesTotals,
} from './sales-changes.ts';

/** What was recorded on one day of the figures of a business day: signed, as something may be taken back. */
export interface JournalEntry extends Document, SalesTotals {
  readonly businessDay: string;
  /** The UTC day of recording. */
  readonly recordedDay: string;
}

/** The entries of a business day stand side by side, in the order of recording. */
const keyOf = (businessDay: string, recordedDay: string): string => `${businessDay} ${recordedDay}`;

const recordedDayOf = ({ recordedAt }: Recorded): string => recordedAt.slice(0, 10);

const emptyEntry = (businessDay: string, recordedDay: string): JournalEntry => ({
  _id: keyOf(businessDay, recordedDay),
  businessDay,
  recordedDay,
  ...noTotals,
});

const changed = (
  entry: JournalEntry | null,
  event: Recorded<ReportedEvent>,
  key: string,
): JournalEntry | null => {
  const recordedDay = recordedDayOf(event);
  return salesChanges(event)
    .filter(({ businessDay }) => keyOf(businessDay, recordedDay) === key)
    .reduce<JournalEntry | null>(
      (known, change) => withChange(known ?? emptyEntry(change.businessDay, recordedDay), change),
      entry,
    );
};

/**
 * The same changes as those of the daily sales, by business day and by the day on which they were recorded. The entries
 * of a business day add up to its sales; those up to some day of recording to what was known of it then
 * (docs/rules/reporting.md#journal).
 */
export const salesJournalProjection = projection<ReportedEvent>()<JournalEntry>({
  name: 'salesJournal',
  version: 3,
  indexes: [{ fields: ['businessDay', 'recordedDay'] }, { fields: ['recordedDay', 'businessDay'] }],
  keys: (event) => [
    ...new Set(salesChanges(event).map(({ businessDay }) => keyOf(businessDay, recordedDayOf(event)))),
  ],
  on: onReportedEvents(changed),
});
