import type { CustomerEvent } from '#events/customer.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { ClosedSale, SourceType } from '#events/invoice.fields.ts';
import { laterSourceTypeOf, saleFigures } from '#events/sale-figures.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
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

/** What was sold, and of what was cancelled since the same figures: they stand in nothing else. */
export interface SalesWithCancelled extends SaleSums {
  readonly cancelled: SaleSums;
}

type LaterSource = Exclude<SourceType, 'web'>;

/** What changes add up to, in minor units of the store's currency. Every figure is a sum, so it may be negative. */
export interface SalesTotals extends SalesWithCancelled {
  readonly ordersFulfilled: number;
  /** What of it was sold elsewhere than in the storefront, by the type of its source. */
  readonly bySource: Readonly<Partial<Record<LaterSource, SalesWithCancelled>>>;
  /**
   * Who bought on the day, each once: for the first time, or again, and then by how many days before they had bought
   * last. From this the customers of any window can be told apart without looking at a single sale: within a window the
   * first purchase of each is the one whose day before it is outside.
   */
  readonly customers: {
    readonly first: number;
    /** The sum of `byDaysSince`. */
    readonly again: number;
    readonly byDaysSince: CountsByDays;
    /** Of whom an older release told that they had bought last on a later day: by how many days later. */
    readonly byDaysUntil: CountsByDays;
  };
}

const nothingSold: SalesWithCancelled = { ...noSales, cancelled: noSales };

export const noTotals: SalesTotals = {
  ...nothingSold,
  ordersFulfilled: 0,
  bySource: {},
  customers: { first: 0, again: 0, byDaysSince: noCounts, byDaysUntil: noCounts },
};

/** What an event changes in the figures of a business day. What it does not name stays. */
export interface SalesChange {
  readonly businessDay: string;
  readonly sourceType?: LaterSource | undefined;
  /** Of what stands, and of what is cancelled. */
  readonly sales?: SaleSums;
  readonly cancelled?: SaleSums;
  readonly ordersFulfilled?: number;
  /** `count` more customers of the day, who had bought last on `previousSaleDay`; null for those who never had. */
  readonly customers?: { readonly previousSaleDay: string | null; readonly count: number };
}

export type ReportedEvent =
  | Extract<
      InvoiceEvent,
      {
        readonly type:
          | 'SaleConfirmed'
          | 'InvoiceEdited'
          | 'OrderStatusChanged'
          | 'PaymentRefunded'
          | 'RefundFailed'
          | 'InvoiceCancelled'
          | 'InvoiceDeleted';
      }
    >
  | Extract<CustomerEvent, { readonly type: 'CustomerSaleRecorded' | 'CustomerSaleCancelled' }>;

type InvoiceEventData<Type extends InvoiceEvent['type']> = EventOfType<InvoiceEvent, Type>['data'];

const figuresOfSale = (sale: ClosedSale): SaleSums => saleSums((figure) => figureOf[figure](sale));

const lessened = (sums: SaleSums): SaleSums => saleSums((figure) => 0 - sums[figure]);

const customersChanged = (
  businessDay: string,
  previousSaleDay: string | null,
  count: number,
): readonly SalesChange[] =>
  // Older releases told who had bought on that day already by the day itself.
  previousSaleDay === businessDay ? [] : [{ businessDay, customers: { previousSaleDay, count } }];

const saleConfirmed = ({
  content,
  returns = 0,
}: InvoiceEventData<'SaleConfirmed'>): readonly SalesChange[] => {
  const sale = saleFigures(content, returns);
  return [{ businessDay: content.businessDay, sourceType: sale.sourceType, sales: figuresOfSale(sale) }];
};

/** A sale that was edited is one sale still. */
const saleEdited = ({
  businessDay,
  content,
  difference,
  isOfSale,
}: InvoiceEventData<'InvoiceEdited'>): readonly SalesChange[] =>
  isOfSale
    ? [{ businessDay, ...laterSourceTypeOf(content), sales: { ...figuresOfSale(difference), invoices: 0 } }]
    : [];

const returnsChanged = (
  { businessDay, isOfSale, sourceType }: InvoiceEventData<'PaymentRefunded' | 'RefundFailed'>,
  returns: number,
): readonly SalesChange[] =>
  isOfSale && returns !== 0 ? [{ businessDay, sourceType, sales: { ...noSales, returns } }] : [];

const saleCancelled = ({
  businessDay,
  sale,
}: InvoiceEventData<'InvoiceCancelled'>): readonly SalesChange[] => {
  if (!sale) return [];
  const figures = figuresOfSale(sale);
  return [{ businessDay, sourceType: sale.sourceType, sales: lessened(figures), cancelled: figures }];
};

/** Its completed orders stop counting as fulfilled; those of an invoice that is only cancelled keep counting. */
const invoiceDeleted = ({
  businessDay,
  sale,
  wasCancelled,
  completedDays,
}: InvoiceEventData<'InvoiceDeleted'>): readonly SalesChange[] => {
  const orders = completedDays.map((day) => ({ businessDay: day, ordersFulfilled: -1 }));
  if (!sale) return orders;
  const figures = lessened(figuresOfSale(sale));
  const { sourceType } = sale;
  return [
    wasCancelled
      ? { businessDay, sourceType, cancelled: figures }
      : { businessDay, sourceType, sales: figures },
    ...orders,
  ];
};

/**
 * An order is fulfilled on the business day on which it is completed, and not any more once it leaves Completed. What
 * older releases wrote says no day of its own: the UTC day of its recording stands in.
 */
const orderMoved = ({
  recordedAt,
  data: { from, to, changedDay, completedDay },
}: Recorded<EventOfType<InvoiceEvent, 'OrderStatusChanged'>>): readonly SalesChange[] => {
  if (to === 'Completed') return [{ businessDay: changedDay ?? recordedAt.slice(0, 10), ordersFulfilled: 1 }];
  return from === 'Completed' && completedDay !== undefined
    ? [{ businessDay: completedDay, ordersFulfilled: -1 }]
    : [];
};

/** A day on which a customer bought, or no longer did: their next one follows it, or again the one before it. */
const saleDayChanged = (
  {
    businessDay,
    previousSaleDay,
    nextSaleDay,
  }: EventOfType<CustomerEvent, 'CustomerSaleRecorded' | 'CustomerSaleCancelled'>['data'],
  count: 1 | -1,
): readonly SalesChange[] => [
  ...customersChanged(businessDay, previousSaleDay, count),
  ...(nextSaleDay === null
    ? []
    : [
        ...customersChanged(nextSaleDay, previousSaleDay, -count),
        ...customersChanged(nextSaleDay, businessDay, count),
      ]),
];

/**
 * What an event changes in the figures of which business days. Everything that reports say of sales is a sum of these:
 * days, and the journal of when it was recorded (docs/rules/reporting.md#which-sales-count).
 */
export const salesChanges = (event: Recorded<ReportedEvent>): readonly SalesChange[] => {
  switch (event.type) {
    case 'SaleConfirmed':
      return saleConfirmed(event.data);
    case 'InvoiceEdited':
      return saleEdited(event.data);
    case 'PaymentRefunded':
      return returnsChanged(event.data, event.data.givenBackInStoreCurrency);
    case 'RefundFailed':
      return returnsChanged(event.data, -event.data.givenBackInStoreCurrency);
    case 'InvoiceCancelled':
      return saleCancelled(event.data);
    case 'InvoiceDeleted':
      return invoiceDeleted(event.data);
    case 'OrderStatusChanged':
      return orderMoved(event);
    case 'CustomerSaleRecorded':
      return event.data.isFirstOfDay ? saleDayChanged(event.data, 1) : [];
    case 'CustomerSaleCancelled':
      return event.data.wasOnlyOfDay ? saleDayChanged(event.data, -1) : [];
  }
};

/** One function for every event that changes figures. */
export const onReportedEvents = <Change>(
  change: Change,
): Readonly<Record<ReportedEvent['type'], Change>> => ({
  SaleConfirmed: change,
  InvoiceEdited: change,
  OrderStatusChanged: change,
  PaymentRefunded: change,
  RefundFailed: change,
  InvoiceCancelled: change,
  InvoiceDeleted: change,
  CustomerSaleRecorded: change,
  CustomerSaleCancelled: change,
});

const added = (sums: SaleSums, more: SaleSums): SaleSums => saleSums((figure) => sums[figure] + more[figure]);

const withSales = (
  sums: SalesWithCancelled,
  { sales = noSales, cancelled = noSales }: SalesChange,
): SalesWithCancelled => ({ ...added(sums, sales), cancelled: added(sums.cancelled, cancelled) });

const withCustomers = (
  totals: SalesTotals['customers'],
  { businessDay, customers }: SalesChange,
): SalesTotals['customers'] => {
  const { first, again, byDaysSince, byDaysUntil } = totals;
  const { previousSaleDay = null, count = 0 } = customers ?? {};
  if (previousSaleDay === null) return { ...totals, first: first + count };
  const days = daysBetween(previousSaleDay, businessDay);
  return days < 0
    ? { ...totals, byDaysUntil: withCount(byDaysUntil, -days, count) }
    : { ...totals, again: again + count, byDaysSince: withCount(byDaysSince, days, count) };
};

/** Adds what an event changes to the figures of its day, and to those of the source. */
export const withChange = <Totals extends SalesTotals>(totals: Totals, change: SalesChange): Totals => {
  const { sourceType, ordersFulfilled = 0 } = change;
  const { bySource } = totals;
  const ofSource = sourceType && { [sourceType]: withSales(bySource[sourceType] ?? nothingSold, change) };
  return {
    ...totals,
    ...withSales(totals, change),
    ordersFulfilled: totals.ordersFulfilled + ordersFulfilled,
    bySource: ofSource ? { ...bySource, ...ofSource } : bySource,
    customers: change.customers ? withCustomers(totals.customers, change) : totals.customers,
  };
};
