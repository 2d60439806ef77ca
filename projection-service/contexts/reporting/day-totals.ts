import type { ClosedSale, SourceType } from '#events/invoice.fields.ts';
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
 * What changes add up to, in minor units of the store's currency; what is missing is 0. Every figure is a sum, so it
 * may be negative.
 */
export interface DayTotals {
  /** Of what stands. */
  readonly sales?: Partial<SaleSums>;
  /** Of what was cancelled since. */
  readonly cancelled?: Partial<SaleSums>;
  readonly ordersFulfilled?: number;
  readonly customers?: CustomerTotals;
}

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

const sumsWith = (sums: Partial<SaleSums>, more: SaleSums): Partial<SaleSums> => {
  const added: Partial<Record<SaleFigure, number>> = {};
  for (const figure of figureNames) {
    const value = (sums[figure] ?? 0) + more[figure];
    if (value !== 0) added[figure] = value;
  }
  return added;
};

/** Adds what an event changes to what is kept of the customers of its day. */
export type AddCustomers = (totals: CustomerTotals, day: string, change: CustomersChange) => CustomerTotals;

/** How many bought for the first time, and again. */
export const withBuyers: AddCustomers = (totals, day, { count, previousSaleDay, firstSaleDay }) => {
  if (previousSaleDay === undefined)
    return firstSaleDay === undefined
      ? { ...totals, first: (totals.first ?? 0) + count }
      : { ...totals, elsewhere: (totals.elsewhere ?? 0) + count };
  if (previousSaleDay < day) return { ...totals, again: (totals.again ?? 0) + count };
  const { byDaysUntil = noCounts } = totals;
  return { ...totals, byDaysUntil: withCount(byDaysUntil, daysBetween(day, previousSaleDay), count) };
};

/** By how many days before it they had bought. */
export const withDaysSince: AddCustomers = (totals, day, { count, previousSaleDay, firstSaleDay }) => {
  const counted = (counts: CountsByDays = noCounts, earlier: string): CountsByDays =>
    withCount(counts, daysBetween(earlier, day), count);
  if (previousSaleDay === undefined)
    return firstSaleDay === undefined
      ? totals
      : { ...totals, byDaysSinceFirst: counted(totals.byDaysSinceFirst, firstSaleDay) };
  return previousSaleDay < day
    ? { ...totals, byDaysSince: counted(totals.byDaysSince, previousSaleDay) }
    : totals;
};

/** Adds what an event changes to the figures of its day. */
export const withChange = (
  totals: DayTotals,
  { businessDay, sales, cancelled, ordersFulfilled, customers }: SalesChange,
  addCustomers: AddCustomers,
): DayTotals => ({
  ...totals,
  ...(sales && { sales: sumsWith(totals.sales ?? {}, sales) }),
  ...(cancelled && { cancelled: sumsWith(totals.cancelled ?? {}, cancelled) }),
  ...(ordersFulfilled !== undefined && {
    ordersFulfilled: (totals.ordersFulfilled ?? 0) + ordersFulfilled,
  }),
  ...(customers && { customers: addCustomers(totals.customers ?? {}, businessDay, customers) }),
});
