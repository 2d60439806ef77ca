import type { ClosedSale, SourceType } from '#events/invoice.fields.ts';
import { defined } from '#kernel/defined.ts';
import { daysBetween } from '#values/business-day.ts';
import { noCounts, withCount, type CountsByDays } from './counts-by-days.ts';

/** What a sale adds to its business day, figure by figure. One line here is all that a sum over sales needs. */
const figureOf = {
  /** Before discounts, without tax and shipping. */
  grossSales: ({ amounts }) => amounts.subTotal,
  /** Positive. */
  discounts: ({ amounts }) => amounts.discount,
  /** What was given back; positive. */
  returns: ({ returns }) => returns,
  shipping: ({ amounts }) => amounts.shipping,
  taxes: ({ amounts }) => amounts.tax,
  total: ({ amounts }) => amounts.total,
  /** Cost of the goods that were sold. */
  cost: ({ cost }) => cost,
  invoices: () => 1,
  /** Pieces. */
  items: ({ items }) => items,
} as const satisfies Readonly<Record<string, (sale: ClosedSale) => number>>;

type SaleFigure = keyof typeof figureOf;

/** Sums over sales. */
export type SaleSums = Readonly<Record<SaleFigure, number>>;

export const figureNames = Object.keys(figureOf) as readonly SaleFigure[];

/** Sums worked out figure by figure. */
export const saleSums = (valueOf: (figure: SaleFigure) => number): SaleSums => {
  const sums: Partial<Record<SaleFigure, number>> = {};
  for (const figure of figureNames) sums[figure] = valueOf(figure);
  return sums as SaleSums;
};

export const noSales: SaleSums = saleSums(() => 0);

export const figuresOfSale = (sale: ClosedSale): SaleSums => saleSums((figure) => figureOf[figure](sale));

export const lessened = (sums: SaleSums): SaleSums => saleSums((figure) => 0 - sums[figure]);

/** Whose sales are counted: all, or those of one source. */
export type Scope = 'all' | SourceType;

/**
 * Who bought on a day, each once: for the first time, or again, and then by how many days before they had bought last.
 * From this the customers of any window can be told apart without looking at a single sale: within a window the first
 * purchase of each is the one whose day before it is outside. What is missing is 0, or empty.
 */
export interface CustomerTotals {
  readonly first?: number;
  /** The sum of `byDaysSince`. */
  readonly again?: number;
  readonly byDaysSince?: CountsByDays;
  /** Of one source: who had not bought there, but elsewhere; by how many days before they had bought first. */
  readonly elsewhere?: number;
  readonly byDaysSinceFirst?: CountsByDays;
  /** Of whom an older release told that they had bought last on a later day: by how many days later. */
  readonly byDaysUntil?: CountsByDays;
}

/**
 * What changes add up to, in minor units of the store's currency; what comes to 0 is left out. Every figure is a sum,
 * so it may be negative.
 */
export interface DayTotals extends Partial<SaleSums> {
  /** Of what was cancelled since the same figures: it stands in nothing else. */
  readonly cancelled?: Partial<SaleSums>;
  readonly ordersFulfilled?: number;
  readonly customers?: CustomerTotals;
}

/** Who bought on a day again, without the days since they had. */
export const withoutDays = ({
  byDaysSince: _,
  byDaysSinceFirst: __,
  ...customers
}: CustomerTotals): CustomerTotals => customers;

/** The days since customers of a day had bought. */
export const onlyDays = ({ byDaysSince, byDaysSinceFirst }: CustomerTotals): CustomerTotals =>
  defined({ byDaysSince, byDaysSinceFirst });

/** `count` more customers of a day; with neither day those who had never bought. */
export interface CustomersChange {
  readonly count: number;
  /** On which they had bought last. */
  readonly previousSaleDay?: string;
  /** On which they had first bought, elsewhere. */
  readonly firstSaleDay?: string;
}

/** What an event changes in the figures of a business day. What it does not name stays. */
export interface SalesChange {
  readonly scope: Scope;
  readonly businessDay: string;
  /** Of what stands, and of what is cancelled. */
  readonly sales?: SaleSums;
  readonly cancelled?: SaleSums;
  readonly ordersFulfilled?: number;
  readonly customers?: CustomersChange;
}

type Mutable<Shape> = { -readonly [Name in keyof Shape]: Shape[Name] };

const sumsWith = (sums: Partial<SaleSums>, more: SaleSums | undefined): Partial<SaleSums> => {
  const added: Mutable<Partial<SaleSums>> = {};
  for (const figure of figureNames) {
    const value = (sums[figure] ?? 0) + (more?.[figure] ?? 0);
    if (value !== 0) added[figure] = value;
  }
  return added;
};

/** Without what is 0 or empty. */
const something = <Values extends object>(values: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) =>
      typeof value === 'object' ? Object.keys(value as object).length > 0 : Boolean(value),
    ),
  ) as Partial<Values>;

const customersWith = (
  totals: CustomerTotals,
  businessDay: string,
  { count, previousSaleDay, firstSaleDay }: CustomersChange,
): CustomerTotals => {
  const { first = 0, again = 0, elsewhere = 0 } = totals;
  const { byDaysSince = noCounts, byDaysSinceFirst = noCounts, byDaysUntil = noCounts } = totals;
  const all = { first, again, byDaysSince, elsewhere, byDaysSinceFirst, byDaysUntil };
  if (previousSaleDay !== undefined) {
    const days = daysBetween(previousSaleDay, businessDay);
    return days < 0
      ? something({ ...all, byDaysUntil: withCount(byDaysUntil, -days, count) })
      : something({ ...all, again: again + count, byDaysSince: withCount(byDaysSince, days, count) });
  }
  if (firstSaleDay === undefined) return something({ ...all, first: first + count });
  const days = daysBetween(firstSaleDay, businessDay);
  return something({
    ...all,
    elsewhere: elsewhere + count,
    byDaysSinceFirst: withCount(byDaysSinceFirst, days, count),
  });
};

/** Adds what an event changes to the figures of its day; of its customers, what is kept of them. */
export const withChange = (
  totals: DayTotals,
  change: SalesChange,
  kept: (customers: CustomerTotals) => CustomerTotals,
): DayTotals => {
  const { cancelled = {}, ordersFulfilled = 0, customers = {} } = totals;
  return {
    ...sumsWith(totals, change.sales),
    ...something({
      cancelled: sumsWith(cancelled, change.cancelled),
      ordersFulfilled: ordersFulfilled + (change.ordersFulfilled ?? 0),
      customers: change.customers
        ? kept(customersWith(customers, change.businessDay, change.customers))
        : customers,
    }),
  };
};
