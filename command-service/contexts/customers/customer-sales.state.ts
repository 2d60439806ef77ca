import { daysBetween } from '#values/business-day.ts';
import { noSales, type CustomerFigures, type CustomerSale } from '#values/customer-figures.ts';

/** Of a customer: recording a sale costs the same whether there were ten before it or a hundred thousand. */
export interface Sales {
  /** Business days with a sale that stands, in order. Changes in place. */
  readonly saleDays: string[];
  /** By such a day, the invoices of its sales. Changes in place. */
  readonly soldOn: Record<string, string[]>;
  /** By invoice, the sales that stand. Changes in place. */
  readonly sales: Record<string, RememberedSale>;
}

export const noneSold = (): Sales => ({ saleDays: [], soldOn: {}, sales: {} });

/** A sale that stands. */
export interface RememberedSale extends CustomerSale {
  readonly businessDay: string;
  /** The last edit of its invoice that it knows of. */
  readonly edit?: number;
}

/** Where a day is among the others, or would be. */
const placeOf = (days: readonly string[], day: string): number => {
  let [low, high] = [0, days.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((days[middle] ?? '') < day) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** In place. */
export const addSale = (
  { saleDays, soldOn, sales }: Sales,
  invoiceId: string,
  sale: RememberedSale,
): void => {
  const { businessDay: day } = sale;
  sales[invoiceId] = sale;
  if (!(day in soldOn)) saleDays.splice(placeOf(saleDays, day), 0, day);
  (soldOn[day] ??= []).push(invoiceId);
};

/** In place. */
export const dropSale = ({ saleDays, soldOn, sales }: Sales, invoiceId: string, day: string): void => {
  delete sales[invoiceId];
  const left = soldOn[day]?.filter((other) => other !== invoiceId) ?? [];
  if (left.length > 0) soldOn[day] = left;
  else {
    if (day in soldOn) saleDays.splice(placeOf(saleDays, day), 1);
    delete soldOn[day];
  }
};

/** The days with a sale that stands on both sides of a day; null where there is none. */
export const saleDaysAround = (
  { saleDays, soldOn }: Sales,
  day: string,
): { readonly previousSaleDay: string | null; readonly nextSaleDay: string | null } => {
  const place = placeOf(saleDays, day);
  const next = day in soldOn ? place + 1 : place;
  return { previousSaleDay: saleDays[place - 1] ?? null, nextSaleDay: saleDays[next] ?? null };
};

/** Days follow instants, but where the shop's time zone was changed: then an earlier one may be two days later. */
const DAYS_APART = 2;

interface PlacedSale extends CustomerSale {
  readonly placedAt: string;
}

/** The outermost sale beside one invoice's, from an end of the days: only those next to that end are looked through. */
const outermost = (
  { soldOn, sales }: Sales,
  invoiceId: string,
  daysFromEnd: readonly string[],
  isFurther: (one: string, other: string) => boolean,
): PlacedSale | null => {
  let found: PlacedSale | null = null;
  let foundOn: string | null = null;
  for (const day of daysFromEnd) {
    if (foundOn !== null && Math.abs(daysBetween(foundOn, day)) > DAYS_APART) break;
    for (const id of soldOn[day] ?? []) {
      const { placedAt = null, ...sale } = sales[id] ?? {};
      if (id === invoiceId || placedAt === null) continue;
      foundOn ??= day;
      if (found === null || isFurther(placedAt, found.placedAt))
        found = { ...(sale as CustomerSale), placedAt };
    }
  }
  return found;
};

/** The figures without one of the sales. */
export const figuresWithout = (
  known: Sales & { readonly figures: CustomerFigures },
  invoiceId: string,
  { total }: CustomerSale,
): CustomerFigures => {
  const { orderCount, totalSpend } = known.figures;
  if (orderCount <= 1) return noSales;
  const { saleDays: days } = known;
  const first = outermost(known, invoiceId, days, (one, other) => one < other);
  // Of two that were made at the same time, the one that was confirmed last.
  const last = outermost(known, invoiceId, days.toReversed(), (one, other) => one >= other);
  return {
    orderCount: orderCount - 1,
    totalSpend: totalSpend - (total ?? 0),
    firstOrderAt: first?.placedAt ?? null,
    lastOrderAt: last?.placedAt ?? null,
    countryCode: last?.countryCode ?? null,
  };
};
