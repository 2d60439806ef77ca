import type { Moment } from '../../engine/moments.ts';
import type { ViewReader } from '../../engine/reader.ts';
import type { Scope } from './day-totals.ts';
import type { Window } from './report-window.ts';
import {
  keyBegin,
  monthOf,
  salesJournalProjection,
  salesOfDay,
  type EntryKind,
  type JournalEntry,
} from './sales-journal.projection.ts';

/** `booked`: on the business day of the invoice. `recorded`: on the day (UTC) on which it became known. */
export type Basis = 'booked' | 'recorded';

/** When sales count, and what is known of them. */
export interface SalesView {
  /** Default: `booked`. */
  readonly basis?: Basis | undefined;
  /** Left out: now. */
  readonly asOf?: Moment | undefined;
}

type Views = Pick<ViewReader, 'find'>;

/** Entries read at once: a page is read and parsed in one turn of the event loop, and most have a month of days. */
const PAGE = 25;

/** Sorts after all that begins the same way. */
const LAST = '~';

/** Entries of one kind, by the first of the two times in their keys: both ends are included. */
async function* entryPages(
  views: Views,
  scope: Scope,
  kind: EntryKind,
  { start, end }: Window,
): AsyncGenerator<readonly JournalEntry[]> {
  const lte = `${keyBegin(scope, kind, end)}${LAST}`;
  let from: { readonly gte: string } | { readonly gt: string } = { gte: keyBegin(scope, kind, start) };
  for (;;) {
    const page: readonly JournalEntry[] = await views.find<JournalEntry>(salesJournalProjection.name, {
      filter: { _id: { ...from, lte } },
      sort: [['_id', 1]],
      limit: PAGE,
    });
    yield page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    from = { gt: last._id };
  }
}

/** What was recorded in whole months before that of the moment, then in whole days, then on the day of the moment. */
async function* bookedEntries(
  views: Views,
  scope: Scope,
  { start, end }: Window,
  moment: Moment | undefined,
): AsyncGenerator<readonly JournalEntry[]> {
  const months = { start: monthOf(start), end: monthOf(end) };
  const known = moment && { day: moment.recordedDay, month: monthOf(moment.recordedDay) };
  for await (const page of entryPages(views, scope, 'month', months))
    yield known ? page.filter(({ recorded }) => recorded < known.month) : page;
  if (!known) return;
  const isOfWindow = ({ businessMonth }: JournalEntry): boolean =>
    businessMonth >= months.start && businessMonth <= months.end;
  for await (const page of entryPages(views, scope, 'day', { start: known.month, end: known.day }))
    yield page.filter((entry) => isOfWindow(entry) && entry.recorded < known.day);
}

async function* recordedEntries(
  views: Views,
  scope: Scope,
  window: Window,
  moment: Moment | undefined,
): AsyncGenerator<readonly JournalEntry[]> {
  for await (const page of entryPages(views, scope, 'day', window))
    yield moment ? page.filter(({ recorded }) => recorded < moment.recordedDay) : page;
}

/** What is known of the sales of a window, page by page. */
export async function* salesPages(
  views: Views,
  scope: Scope,
  window: Window,
  { basis, asOf }: SalesView,
): AsyncGenerator<readonly JournalEntry[]> {
  yield* basis === 'recorded'
    ? recordedEntries(views, scope, window, asOf)
    : bookedEntries(views, scope, window, asOf);
  if (asOf) yield asOf.recordedThatDay<JournalEntry>(salesOfDay[scope]);
}

/** How many customers have a sale that stands: each has one that was the first. */
export const customersKnown = async (
  views: Pick<ViewReader, 'sum'>,
  scope: Scope,
  moment: Moment | undefined,
): Promise<number> => {
  const { name } = salesJournalProjection;
  const sum = (kind: EntryKind, first: string, before: string | undefined): Promise<number> =>
    views.sum(name, 'firstBuyers', {
      _id: {
        gte: keyBegin(scope, kind, first),
        lte: `${keyBegin(scope, kind)}${LAST}`,
      },
      ...(before === undefined ? {} : { recorded: { lt: before } }),
    });
  if (!moment) return sum('month', '', undefined);
  const month = monthOf(moment.recordedDay);
  const thatDay = await moment.recordedThatDay<JournalEntry>(salesOfDay[scope]);
  const known = [await sum('month', '', month), await sum('day', month, moment.recordedDay)];
  return [...known, ...thatDay.map(({ firstBuyers = 0 }) => firstBuyers)].reduce(
    (all, more) => all + more,
    0,
  );
};
