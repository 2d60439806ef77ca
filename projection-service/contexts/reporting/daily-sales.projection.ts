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

/** What one business day sold, under its day (`YYYY-MM-DD` in the reporting time zone). Reports add up such days. */
export interface DaySales extends Document, SalesTotals {}

export const emptyDay = (day: string): DaySales => ({ _id: day, ...noTotals });

const changed = (day: DaySales | null, event: Recorded<ReportedEvent>, key: string): DaySales =>
  salesChanges(event)
    .filter(({ businessDay }) => businessDay === key)
    .reduce(withChange, day ?? emptyDay(key));

/**
 * Sales by business day. A sale counts on the day on which its invoice was created, once it has been confirmed; what
 * happens to it later changes that day (docs/rules/reporting.md#which-sales-count).
 */
export const dailySalesProjection = projection<ReportedEvent>()<DaySales>({
  name: 'dailySales',
  version: 8,
  indexes: [],
  keys: (event) => [...new Set(salesChanges(event).map(({ businessDay }) => businessDay))],
  on: onReportedEvents(changed),
});
