import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SourceType } from '#events/invoice.fields.ts';
import { defined } from '#kernel/defined.ts';
import type { ViewReader } from '../../engine/reader.ts';
import { noSales, saleSums, type DayTotals, type SaleSums, type Scope } from './day-totals.ts';
import {
  customersByMonth,
  customersOfDay,
  isByMonth,
  needsBuyers,
  noCustomers,
  type WindowCustomers,
} from './period-customers.ts';
import type { Window } from './report-window.ts';
import { keyOf, salesJournalProjection, type JournalEntry } from './sales-journal.projection.ts';
import { salesPages, type SalesView } from './sales-pages.ts';

/**
 * A day as a report needs it. Its customers, and those of the part of the window that it is in, mean something only
 * where all days of that window or part are added up: some are known of a month as a whole.
 */
export interface DayFigures extends SaleSums, WindowCustomers {
  readonly ordersFulfilled: number;
  readonly ofPart: WindowCustomers;
}

/** A window with its days that had anything, by day: what a report adds up. */
export interface Period {
  readonly window: Window;
  readonly sales: ReadonlyMap<string, DayFigures>;
}

/** Which sales a report is about: without any of it, all that stand. */
export interface SalesFilter {
  readonly includeCancelled?: boolean;
  readonly sourceType?: SourceType | undefined;
}

export interface PeriodOptions extends SalesFilter {
  /** Which takes longer. Default: false. */
  readonly countsCustomers?: boolean;
  /** The part of the window that a day is in, whose customers are counted as well. Default: the day by itself. */
  readonly partOf?: (day: string) => Window;
}

/** An entry of the journal, and where it is needed what its customers had bought before each day. */
export interface CountedEntry {
  readonly entry: JournalEntry;
  readonly buyers: JournalEntry | null;
}

const nothing = { ...noSales, ordersFulfilled: 0 };

const withCustomers = (one: WindowCustomers, other: WindowCustomers): WindowCustomers => ({
  customers: one.customers + other.customers,
  returning: one.returning + other.returning,
});

const plus = (one: DayFigures | undefined, other: DayFigures): DayFigures =>
  one === undefined
    ? other
    : {
        ...saleSums((figure) => one[figure] + other[figure]),
        ordersFulfilled: one.ordersFulfilled + other.ordersFulfilled,
        ...withCustomers(one, other),
        ofPart: withCustomers(one.ofPart, other.ofPart),
      };

const salesOfDay = (totals: DayTotals, includeCancelled: boolean): SaleSums =>
  saleSums(
    (figure) => (totals.sales?.[figure] ?? 0) + (includeCancelled ? (totals.cancelled?.[figure] ?? 0) : 0),
  );

const dayByItself = (day: string): Window => ({ start: day, end: day });

/** Adds what an entry has of a window to its days. */
export const addEntry = (
  sales: Map<string, DayFigures>,
  { entry, buyers }: CountedEntry,
  window: Window,
  options: PeriodOptions & Pick<SalesView, 'basis'>,
): void => {
  const { partOf = dayByItself, includeCancelled = false, countsCustomers = false, basis } = options;
  const dayOf = (businessDay: string): string => (basis === 'recorded' ? entry.recorded : businessDay);
  const isIn = (day: string): boolean => day >= window.start && day <= window.end;
  const days = Object.entries(entry.days).filter(([businessDay]) => isIn(dayOf(businessDay)));
  const add = (businessDay: string, figures: DayFigures): void => {
    const day = dayOf(businessDay);
    sales.set(day, plus(sales.get(day), figures));
  };
  const isKnown = isByMonth(entry, window);
  for (const [day, totals] of days) {
    const customersOf = (one: Window, isKnownByMonth: boolean): WindowCustomers =>
      countsCustomers ? customersOfDay({ day, totals, buyers }, one, isKnownByMonth) : noCustomers;
    const part = partOf(day);
    add(day, {
      ...salesOfDay(totals, includeCancelled),
      ordersFulfilled: totals.ordersFulfilled ?? 0,
      ...customersOf(window, isKnown),
      ofPart: customersOf(part, isByMonth(entry, part)),
    });
  }
  const [[firstDay] = []] = days;
  if (firstDay !== undefined && countsCustomers)
    add(firstDay, {
      ...nothing,
      ...customersByMonth(entry, window),
      ofPart: customersByMonth(entry, partOf(firstDay)),
    });
};

/** What customers had bought before each day stands apart from the rest of a month of recording. */
const withBuyers = async (
  views: Pick<ViewReader, 'getMany'>,
  entries: readonly JournalEntry[],
  window: Window,
  { countsCustomers = false, partOf = dayByItself }: PeriodOptions,
): Promise<readonly CountedEntry[]> => {
  const needing = countsCustomers ? entries.filter((entry) => needsBuyers(entry, window, partOf)) : [];
  const keys = needing.map((entry) => keyOf(entry, 'buyers'));
  const found = keys.length === 0 ? [] : await views.getMany<JournalEntry>(salesJournalProjection.name, keys);
  const byKey = new Map(found.map((buyers) => [buyers._id, buyers]));
  return entries.map((entry) => ({
    entry,
    buyers: entry.earlier ? (byKey.get(keyOf(entry, 'buyers')) ?? null) : entry,
  }));
};

type Views = Pick<ViewReader, 'find' | 'getMany'>;

const countPeriod = async (
  views: Views,
  window: Window,
  options: PeriodOptions & SalesView,
): Promise<Period> => {
  const sales = new Map<string, DayFigures>();
  const scope: Scope = options.sourceType ?? 'all';
  for await (const page of salesPages(views, scope, window, options)) {
    for (const counted of await withBuyers(views, page, window, options))
      addEntry(sales, counted, window, options);
    await nextTurn();
  }
  return { window, sales };
};

/**
 * Reads what the journal has of a window, however many sales there were: two years are some fifty entries, as of a
 * moment of the past as many and those of the days of its month. They are taken in a few at a time, so that ten years
 * hold up no other work; what was known at a moment is remembered.
 */
export const readPeriod = async (
  views: Views,
  window: Window,
  { basis, asOf, partOf, countsCustomers, includeCancelled, sourceType }: PeriodOptions & SalesView = {},
): Promise<Period> => {
  const options = defined({ basis, asOf, partOf, countsCustomers, includeCancelled, sourceType });
  const count = (): Promise<Period> => countPeriod(views, window, options);
  if (!asOf || partOf) return count();
  const { start, end } = window;
  const key = ['sales', start, end, basis, includeCancelled, sourceType, countsCustomers].join(' ');
  return asOf.remember(key, count);
};
