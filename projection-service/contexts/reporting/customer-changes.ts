import type { CustomerEvent } from '#events/customer.events.ts';
import type { SourceType } from '#events/invoice.fields.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { SalesChange, Scope } from './day-totals.ts';

type DataOf<Type extends CustomerEvent['type']> = EventOfType<CustomerEvent, Type>['data'];
type Sale = DataOf<'CustomerSaleRecorded' | 'CustomerSaleCancelled'>;

/** When a customer had bought before a sale: last in its scope, and first anywhere. */
interface Earlier {
  readonly previousSaleDay: string | null;
  readonly firstSaleDay: string | null;
}

const customersOf = (
  scope: Scope,
  businessDay: string,
  { previousSaleDay, firstSaleDay }: Earlier,
  count: number,
): readonly SalesChange[] => {
  // Older releases told who had bought on that day already by the day itself.
  if (previousSaleDay === businessDay) return [];
  if (previousSaleDay !== null) return [{ scope, businessDay, customers: { previousSaleDay, count } }];
  return firstSaleDay !== null && firstSaleDay < businessDay
    ? [{ scope, businessDay, customers: { firstSaleDay, count } }]
    : [{ scope, businessDay, customers: { count } }];
};

/** Of a customer: the day of the first sale, without the one that an event tells of, and with it. */
interface First {
  readonly without: string | null;
  readonly with: string | null;
}

/** A day on which a customer bought, or no longer did: their next one follows it, or again the one before it. */
const saleDayChanged = (
  scope: Scope,
  {
    businessDay,
    previousSaleDay,
    nextSaleDay,
  }: Pick<Sale, 'businessDay' | 'previousSaleDay' | 'nextSaleDay'>,
  first: First,
  count: number,
): readonly SalesChange[] => [
  ...customersOf(scope, businessDay, { previousSaleDay, firstSaleDay: first.with }, count),
  ...(nextSaleDay === null
    ? []
    : [
        ...customersOf(scope, nextSaleDay, { previousSaleDay, firstSaleDay: first.without }, -count),
        ...customersOf(scope, nextSaleDay, { previousSaleDay: businessDay, firstSaleDay: first.with }, count),
      ]),
];

/** Of sources beside that of the sale: whose first sale there was, or is, not the first one anywhere. */
const firstSaleChanged = (
  firstSaleDays: readonly (readonly [SourceType, string])[],
  first: First,
  count: number,
): readonly SalesChange[] =>
  firstSaleDays.flatMap(([source, day]) => [
    ...customersOf(source, day, { previousSaleDay: null, firstSaleDay: first.without }, -count),
    ...customersOf(source, day, { previousSaleDay: null, firstSaleDay: first.with }, count),
  ]);

interface OnlyOfDay {
  readonly inAll: boolean;
  readonly inSource: boolean;
}

const customersChanged = (sale: Sale, isOnly: OnlyOfDay, count: number): readonly SalesChange[] => {
  const { businessDay, sourceType, ofSource } = sale;
  const firstSaleDays = Object.entries(sale.firstSaleDays) as [SourceType, string][];
  const without = firstSaleDays.map(([, day]) => day).toSorted()[0] ?? null;
  const first = { without, with: without !== null && without < businessDay ? without : businessDay };
  const others = firstSaleDays.filter(([source]) => source !== sourceType);
  return [
    ...(isOnly.inAll ? saleDayChanged('all', sale, { without: null, with: null }, count) : []),
    ...(isOnly.inSource ? saleDayChanged(sourceType, { businessDay, ...ofSource }, first, count) : []),
    ...(first.with === first.without ? [] : firstSaleChanged(others, first, count)),
  ];
};

/** Whom a sale brings to which days, in all and in its source (docs/rules/reporting.md#summary). */
export const customersGained = (sale: DataOf<'CustomerSaleRecorded'>): readonly SalesChange[] => {
  const isOnly = { inAll: sale.isFirstOfDay, inSource: sale.ofSource.isFirstOfDay };
  return customersChanged(sale, isOnly, 1);
};

/** Whom a sale that was cancelled takes from them. */
export const customersLost = (sale: DataOf<'CustomerSaleCancelled'>): readonly SalesChange[] => {
  const isOnly = { inAll: sale.wasOnlyOfDay, inSource: sale.ofSource.wasOnlyOfDay };
  return customersChanged(sale, isOnly, -1);
};
