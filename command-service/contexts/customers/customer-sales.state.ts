import { daysBetween } from '#values/business-day.ts';
import type { SourceType } from '#events/invoice.fields.ts';
import { noSales, type CustomerFigures, type CustomerSale } from '#values/customer-figures.ts';

interface SaleDays {
  /** Business days with a sale that stands, in order. Changes in place. */
  readonly saleDays: string[];
  /** By such a day, the invoices of its sales. Changes in place. */
  readonly soldOn: Record<string, string[]>;
}

/** Of a customer: recording a sale costs the same whether there were ten before it or a hundred thousand. */
export interface Sales extends SaleDays {
  /** The same, of what was sold in each source. Changes in place. */
  readonly bySource: Partial<Record<SourceType, SaleDays>>;
  /** By invoice, the sales that stand. Changes in place. */
  readonly sales: Record<string, RememberedSale>;
}

export const noneSold = (): Sales => ({ saleDays: [], soldOn: {}, bySource: {}, sales: {} });

export const salesOf = ({ saleDays, soldOn, bySource, sales }: Sales): Sales => ({
  ...{ saleDays, soldOn, bySource, sales },
});

/** A sale that stands. */
export interface RememberedSale extends CustomerSale {
  readonly businessDay: string;
  readonly sourceType: SourceType;
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

const addDay = ({ saleDays, soldOn }: SaleDays, invoiceId: string, day: string): void => {
  if (!(day in soldOn)) saleDays.splice(placeOf(saleDays, day), 0, day);
  (soldOn[day] ??= []).push(invoiceId);
};

const dropDay = ({ saleDays, soldOn }: SaleDays, invoiceId: string, day: string): void => {
  const left = soldOn[day]?.filter((other) => other !== invoiceId) ?? [];
  if (left.length > 0) soldOn[day] = left;
  else {
    if (day in soldOn) saleDays.splice(placeOf(saleDays, day), 1);
    delete soldOn[day];
  }
};

/** In place. */
export const addSale = (known: Sales, invoiceId: string, sale: RememberedSale): void => {
  const { businessDay, sourceType } = sale;
  known.sales[invoiceId] = sale;
  addDay(known, invoiceId, businessDay);
  addDay((known.bySource[sourceType] ??= { saleDays: [], soldOn: {} }), invoiceId, businessDay);
};

/** In place. */
export const dropSale = (known: Sales, invoiceId: string): void => {
  const sale = known.sales[invoiceId];
  if (!sale) return;
  const { businessDay, sourceType } = sale;
  delete known.sales[invoiceId];
  dropDay(known, invoiceId, businessDay);
  const ofSource = known.bySource[sourceType];
  if (ofSource) dropDay(ofSource, invoiceId, businessDay);
};

interface DaysAround {
  readonly previousSaleDay: string | null;
  readonly nextSaleDay: string | null;
}

const daysAround = ({ saleDays, soldOn }: SaleDays, day: string): DaysAround => {
  const place = placeOf(saleDays, day);
  const next = day in soldOn ? place + 1 : place;
  return { previousSaleDay: saleDays[place - 1] ?? null, nextSaleDay: saleDays[next] ?? null };
};

/** Of what is to be recorded: the days around it with a sale that stands; null where there is none. */
const daysAroundNew = (known: SaleDays, day: string) => ({
  isFirstOfDay: !(day in known.soldOn),
  ...daysAround(known, day),
});

/** Of what is to be cancelled. */
const daysAroundOld = (known: SaleDays, day: string) => {
  const wasOnlyOfDay = known.soldOn[day]?.length === 1;
  const { previousSaleDay, nextSaleDay } = daysAround(known, day);
  return { wasOnlyOfDay, previousSaleDay, nextSaleDay: wasOnlyOfDay ? nextSaleDay : null };
};

const ofSource = (known: Sales, sourceType: SourceType): SaleDays =>
  known.bySource[sourceType] ?? { saleDays: [], soldOn: {} };

const firstSaleDays = (
  { bySource }: Sales,
  isCounted: (sourceType: SourceType, day: string, invoices: readonly string[]) => boolean,
): Partial<Record<SourceType, string>> => {
  const days: Partial<Record<SourceType, string>> = {};
  for (const [sourceType, { saleDays, soldOn }] of Object.entries(bySource) as [SourceType, SaleDays][]) {
    const day = saleDays.find((each) => isCounted(sourceType, each, soldOn[each] ?? []));
    if (day !== undefined) days[sourceType] = day;
  }
  return days;
};

type PlacedIn = Pick<RememberedSale, 'businessDay' | 'sourceType'>;

/** What the customer's other sales are to one that is to be recorded. */
export const besideNewSale = (known: Sales, { businessDay, sourceType }: PlacedIn) => ({
  ...daysAroundNew(known, businessDay),
  firstSaleDays: firstSaleDays(known, () => true),
  ofSource: daysAroundNew(ofSource(known, sourceType), businessDay),
});

/** What they are to one that is to be cancelled. */
export const besideOldSale = (known: Sales, { businessDay, sourceType }: PlacedIn) => ({
  ...daysAroundOld(known, businessDay),
  firstSaleDays: firstSaleDays(
    known,
    (source, day, { length }) => source !== sourceType || day !== businessDay || length > 1,
  ),
  ofSource: daysAroundOld(ofSource(known, sourceType), businessDay),
});

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
