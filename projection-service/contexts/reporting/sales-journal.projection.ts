import type { Recorded } from '#kernel/event.ts';
import { projection, type Document } from '#kernel/projection.ts';
import { daysBetween } from '#values/business-day.ts';
import { noCounts, withCount, type CountsByDays } from './counts-by-days.ts';
import {
  withBuyers,
  withChange,
  withDaysSince,
  type AddCustomers,
  type DayTotals,
  type SalesChange,
  type Scope,
} from './day-totals.ts';
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
  /** Of all of its days: who bought there for the first time. */
  readonly firstBuyers?: number;
  /** By business day. */
  readonly days: Readonly<Record<string, DayTotals>>;
  /** Of a month of recording: of all who bought on those days. */
  readonly earlier?: EarlierPurchases;
}

/** Who had bought before a month began, by how many days before it: last, or first where that was elsewhere. */
interface EarlierPurchases {
  readonly last: CountsByDays;
  readonly firstElsewhere: CountsByDays;
}

/**
 * What an entry has. Of a month of recording, the days since customers had bought stand apart from the rest: they are
 * the most of it, and few reports need to tell them from day to day.
 */
export type EntryKind = 'month' | 'buyers' | 'day';

const addCustomersOf: Readonly<Record<EntryKind, AddCustomers>> = {
  month: withBuyers,
  buyers: withDaysSince,
  day: (totals, day, change) => withDaysSince(withBuyers(totals, day, change), day, change),
};

export const monthOf = (day: string): string => day.slice(0, 7);

export const firstOf = (month: string): string => `${month}-01`;

/** Months of recording stand beside each other by business month, days of recording by day. */
export const keyBegin = (scope: Scope, kind: EntryKind, first = '', second = ''): string =>
  `${scope} ${kind} ${first} ${second}`.trimEnd();

type Known = Pick<JournalEntry, 'scope' | 'businessMonth' | 'recorded'>;

export const keyOf = ({ scope, businessMonth, recorded }: Known, kind: EntryKind): string =>
  kind === 'day'
    ? keyBegin(scope, kind, recorded, businessMonth)
    : keyBegin(scope, kind, businessMonth, recorded);

const isOfBuyers = ({ customers }: SalesChange): boolean =>
  (customers?.previousSaleDay ?? customers?.firstSaleDay) !== undefined;

interface EntryChanges {
  readonly kind: EntryKind;
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
    for (const kind of ['month', 'buyers', 'day'] as const) {
      if (kind === 'buyers' && !isOfBuyers(change)) continue;
      const recorded = kind === 'day' ? recordedDay : monthOf(recordedDay);
      const entry = { scope: change.scope, businessMonth: monthOf(change.businessDay), recorded };
      const key = keyOf(entry, kind);
      const changed = byKey.get(key) ?? { kind, entry, changes: [] };
      byKey.set(key, changed);
      changed.changes.push(change);
    }
  known.set(event, byKey);
  return byKey;
};

const withEarlier = (
  { last, firstElsewhere }: EarlierPurchases,
  { businessDay, customers }: SalesChange,
): EarlierPurchases => {
  const { previousSaleDay, firstSaleDay, count = 0 } = customers ?? {};
  const counted = (counts: CountsByDays, day: string | undefined): CountsByDays => {
    const before = day === undefined ? 0 : daysBetween(day, firstOf(monthOf(businessDay)));
    return before > 0 ? withCount(counts, before, count) : counts;
  };
  return {
    last: counted(last, previousSaleDay),
    firstElsewhere: counted(firstElsewhere, firstSaleDay),
  };
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
    days[businessDay] = withChange(days[businessDay] ?? {}, change, addCustomersOf[found.kind]);
    if (change.customers && change.customers.previousSaleDay === undefined)
      firstBuyers += change.customers.count;
  }
  if (found.kind === 'buyers') return { _id: key, ...found.entry, days };
  const known = { _id: key, ...found.entry, firstBuyers, days };
  if (found.kind === 'day') return known;
  const earlier = document?.earlier ?? { last: noCounts, firstElsewhere: noCounts };
  return { ...known, earlier: found.changes.reduce(withEarlier, earlier) };
};

/** The keys of the entries that are kept. */
const keysOf =
  (isKept: (of: EntryChanges) => boolean) =>
  (event: Recorded<ReportedEvent>): readonly string[] =>
    [...changesOf(event)].filter(([, of]) => isKept(of)).map(([key]) => key);

/**
 * Sales, in all and by source, by business day and by when they were recorded. A sale counts on the day on which its
 * invoice was created, once it has been confirmed; what happens to it later changes that day. All entries of a business
 * day add up to its sales, those up to some day of recording to what was known of it then
 * (docs/rules/reporting.md#journal).
 */
export const salesJournalProjection = projection<ReportedEvent>()<JournalEntry>({
  name: 'salesJournal',
  version: 6,
  indexes: [],
  keys: keysOf(() => true),
  on: onReportedEvents(changed),
});

/** Of a day of recording that is folded from the log for one scope: the same entries, and no others. */
const ofDay = (scope: Scope) =>
  projection<ReportedEvent>()<JournalEntry>({
    name: `salesOfDay ${scope}`,
    version: 1,
    indexes: [],
    keys: keysOf(({ kind, entry }) => kind === 'day' && entry.scope === scope),
    on: onReportedEvents(changed),
  });

export const salesOfDay: Readonly<Record<Scope, ReturnType<typeof ofDay>>> = {
  all: ofDay('all'),
  web: ofDay('web'),
  draft: ofDay('draft'),
  ucp: ofDay('ucp'),
  api: ofDay('api'),
  pos: ofDay('pos'),
};
