import type { Filter } from '#ports/document-store.ts';
import type { Moment } from '../../engine/moments.ts';
import type { ViewReader } from '../../engine/reader.ts';
import { dailySalesProjection, type DaySales } from './daily-sales.projection.ts';
import type { Window } from './report-window.ts';
import type { SalesTotals } from './sales-changes.ts';
import { salesJournalProjection, type JournalEntry } from './sales-journal.projection.ts';

/** `booked`: on the business day of the invoice. `recorded`: on the day (UTC) on which it became known. */
export type Basis = 'booked' | 'recorded';

/** When sales count, and what is known of them. */
export interface SalesView {
  /** Default: `booked`. */
  readonly basis?: Basis | undefined;
  /** Left out: now. */
  readonly asOf?: Moment | undefined;
}

/** What counts on a day of the window. A day may come several times: what comes then is added. */
export interface DayTotals {
  readonly day: string;
  readonly businessDay: string;
  readonly totals: SalesTotals;
}

type Views = Pick<ViewReader, 'find'>;

/** Documents read at once: a page is parsed in one turn of the event loop. */
const PAGE = 400;

async function* dailyPages(views: Views, { start, end }: Window): AsyncGenerator<readonly DayTotals[]> {
  let after: { readonly gte: string } | { readonly gt: string } = { gte: start };
  for (;;) {
    const days: readonly DaySales[] = await views.find<DaySales>(dailySalesProjection.name, {
      filter: { _id: { ...after, lte: end } },
      sort: [['_id', 1]],
      limit: PAGE,
    });
    yield days.map((totals) => ({ day: totals._id, businessDay: totals._id, totals }));
    const last = days.at(-1);
    if (!last || days.length < PAGE) return;
    after = { gt: last._id };
  }
}

type JournalDay = 'businessDay' | 'recordedDay';

interface EntriesAsked {
  /** By which day they are asked for, and in which order those of one such day come. */
  readonly order: readonly [JournalDay, JournalDay];
  readonly window: Window;
  /** Null: whenever they were recorded. */
  readonly recordedBefore: string | null;
}

async function* entryPages(
  views: Views,
  { order: [first, second], window: { start, end }, recordedBefore }: EntriesAsked,
): AsyncGenerator<readonly JournalEntry[]> {
  const within = (
    day: JournalDay,
    range: { readonly gte?: string; readonly gt?: string; readonly lte?: string },
  ) => (day === 'recordedDay' && recordedBefore !== null ? { ...range, lt: recordedBefore } : range);
  const known = within('recordedDay', {});
  let filter: Filter = { recordedDay: known, [first]: within(first, { gte: start, lte: end }) };
  for (let day: string | null = null; ;) {
    const page: readonly JournalEntry[] = await views.find<JournalEntry>(salesJournalProjection.name, {
      filter,
      sort: [
        [first, 1],
        [second, 1],
      ],
      limit: PAGE,
    });
    yield page;
    const last = page.at(-1);
    if (last && page.length === PAGE) {
      day = last[first];
      filter = { [first]: day, [second]: within(second, { gt: last[second] }) };
    } else if (day !== null) {
      filter = { recordedDay: known, [first]: within(first, { gt: day, lte: end }) };
      day = null;
    } else return;
  }
}

async function* journalPages(
  views: Views,
  window: Window,
  { basis, asOf }: SalesView,
): AsyncGenerator<readonly DayTotals[]> {
  const [first, second]: readonly [JournalDay, JournalDay] =
    basis === 'recorded' ? ['recordedDay', 'businessDay'] : ['businessDay', 'recordedDay'];
  const asTotals = (entry: JournalEntry): DayTotals => ({
    day: entry[first],
    businessDay: entry.businessDay,
    totals: entry,
  });
  const asked: EntriesAsked = { order: [first, second], window, recordedBefore: asOf?.recordedDay ?? null };
  for await (const page of entryPages(views, asked)) yield page.map(asTotals);
  const ofThatDay = (await asOf?.recordedThatDay<JournalEntry>(salesJournalProjection)) ?? [];
  yield ofThatDay.map(asTotals).filter(({ day }) => day >= window.start && day <= window.end);
}

/** The sales of a window, page by page: of business days as they are now, or from the journal. */
export const salesPages = (
  views: Views,
  window: Window,
  view: SalesView,
): AsyncGenerator<readonly DayTotals[]> =>
  view.asOf || view.basis === 'recorded' ? journalPages(views, window, view) : dailyPages(views, window);
