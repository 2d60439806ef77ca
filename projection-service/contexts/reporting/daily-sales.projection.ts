import type { CustomerEvent } from '#events/customer.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { ClosedSale, SourceType } from '#events/invoice.fields.ts';
import { laterSourceTypeOf, saleFigures } from '#events/sale-figures.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import { projection, type Document } from '#kernel/projection.ts';
import type { Minor } from '#values/money.ts';

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
export const saleSums = (valueOf: (figure: SaleFigure) => number): SaleSums =>
  Object.fromEntries(figureNames.map((figure) => [figure, valueOf(figure)])) as SaleSums;

export const noSales: SaleSums = saleSums(() => 0);

/** What was sold, and of what was cancelled since the same figures: they stand in nothing else. */
export interface SalesWithCancelled extends SaleSums {
  readonly cancelled: SaleSums;
}

/**
 * What one business day sold, under its day (`YYYY-MM-DD` in the reporting time zone). Every report adds up such days.
 * Amounts in minor units of the store's currency.
 */
export interface DaySales extends Document, SalesWithCancelled {
  readonly ordersFulfilled: number;
  /** What of it was sold elsewhere than in the storefront, by the type of its source. */
  readonly bySource: Readonly<Partial<Record<LaterSource, SalesWithCancelled>>>;
  /**
   * How many customers bought on this day, by the day on which they had bought before; `FIRST_SALE` for those who had
   * not. Who buys again on the same day is counted once. From this the customers of any window can be told apart
   * without looking at a single sale: within a window the first purchase of each is the one whose day before it is
   * outside.
   */
  readonly customersByPreviousSale: Readonly<Record<string, number>>;
}

type LaterSource = Exclude<SourceType, 'web'>;

export const FIRST_SALE = 'first';

export const emptyDay = (day: string): DaySales => ({
  _id: day,
  ...noSales,
  ordersFulfilled: 0,
  cancelled: noSales,
  bySource: {},
  customersByPreviousSale: {},
});

const withCustomer = (day: DaySales, previousSaleDay: string | null): DaySales['customersByPreviousSale'] => {
  const counts = day.customersByPreviousSale;
  if (previousSaleDay === day._id) return counts;
  const key = previousSaleDay ?? FIRST_SALE;
  return { ...counts, [key]: (counts[key] ?? 0) + 1 };
};

type Change = <Sums extends SalesWithCancelled>(sums: Sums) => Sums;

/** Changes the figures of the day, and those of the source. */
const changed = (day: DaySales, sourceType: LaterSource | undefined, change: Change): DaySales => {
  const after = change(day);
  if (sourceType === undefined) return after;
  const known = after.bySource[sourceType] ?? { ...noSales, cancelled: noSales };
  return { ...after, bySource: { ...after.bySource, [sourceType]: change(known) } };
};

/** Adds what a sale brings, or takes it away again. */
const withFigures = <Sums extends SaleSums>(sums: Sums, sale: ClosedSale, times: 1 | -1): Sums => ({
  ...sums,
  ...saleSums((figure) => sums[figure] + times * figureOf[figure](sale)),
});

const withSale = (
  day: DaySales,
  { content, previousSaleDay, returns = 0 }: EventOfType<InvoiceEvent, 'SaleConfirmed'>['data'],
): DaySales => {
  const sale = saleFigures(content, returns);
  return {
    ...changed(day, sale.sourceType, (sums) => withFigures(sums, sale, 1)),
    customersByPreviousSale: withCustomer(day, previousSaleDay),
  };
};

const withReturns = (day: DaySales, sourceType: LaterSource | undefined, given: Minor): DaySales =>
  changed(day, sourceType, (sums) => ({ ...sums, returns: sums.returns + given }));

const withCancelled = <Sums extends SalesWithCancelled>(
  sums: Sums,
  sale: ClosedSale,
  times: 1 | -1,
): Sums => ({ ...sums, cancelled: withFigures(sums.cancelled, sale, times) });

/** Who bought on a day by the day before it, once a sale is gone: `from` is told as `to`, or no more. */
const retold = (day: DaySales, from: string, to: string | null): DaySales => {
  const { [from]: count = 0, ...others } = day.customersByPreviousSale;
  const left = count > 1 ? { ...others, [from]: count - 1 } : others;
  const customersByPreviousSale = to === null ? left : { ...left, [to]: (left[to] ?? 0) + 1 };
  return { ...day, customersByPreviousSale };
};

const saleCancelled = (
  day: DaySales,
  { businessDay, previousSaleDay }: EventOfType<CustomerEvent, 'CustomerSaleCancelled'>['data'],
): DaySales => {
  const previous = previousSaleDay ?? FIRST_SALE;
  return day._id === businessDay ? retold(day, previous, null) : retold(day, businessDay, previous);
};

/** A sale that was edited is one sale still. */
const withDifference = (
  day: DaySales,
  { content, difference }: EventOfType<InvoiceEvent, 'InvoiceEdited'>['data'],
): DaySales =>
  changed(day, laterSourceTypeOf(content).sourceType, (sums) => ({
    ...withFigures(sums, difference, 1),
    invoices: sums.invoices,
  }));

type ReportedEvent =
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
  | Extract<CustomerEvent, { readonly type: 'CustomerSaleCancelled' }>;

/** Which days an order's move adds to what was fulfilled, and takes from it. */
const fulfilled = ({
  recordedAt,
  data: { from, to, changedDay, completedDay },
}: Recorded<EventOfType<InvoiceEvent, 'OrderStatusChanged'>>): { day: string; change: 1 | -1 }[] => {
  if (to === 'Completed') return [{ day: changedDay ?? recordedAt.slice(0, 10), change: 1 }];
  return from === 'Completed' && completedDay !== undefined ? [{ day: completedDay, change: -1 }] : [];
};

const keysOf = (event: Recorded<ReportedEvent>): readonly string[] => {
  switch (event.type) {
    case 'SaleConfirmed':
      return [event.data.content.businessDay];
    case 'InvoiceEdited':
      return event.data.isOfSale ? [event.data.businessDay] : [];
    case 'OrderStatusChanged':
      return fulfilled(event).map(({ day }) => day);
    case 'PaymentRefunded':
    case 'RefundFailed':
      return event.data.isOfSale && event.data.givenBackInStoreCurrency > 0 ? [event.data.businessDay] : [];
    case 'InvoiceCancelled':
    case 'InvoiceDeleted':
      return event.data.sale ? [event.data.businessDay] : [];
    case 'CustomerSaleCancelled': {
      const { businessDay, nextSaleDay, wasOnlyOfDay } = event.data;
      return wasOnlyOfDay ? [businessDay, ...(nextSaleDay === null ? [] : [nextSaleDay])] : [];
    }
  }
};

/**
 * Sales by business day. A sale counts on the day on which its invoice was created, once it has been confirmed; an
 * unpaid invoice counts nowhere (docs/rules/reporting.md#which-sales-count).
 *
 * An order is fulfilled on the business day on which it is completed, and not any more once it leaves Completed. What
 * older releases wrote says no day of its own: the UTC day of its recording stands in.
 */
export const dailySalesProjection = projection<ReportedEvent>()<DaySales>({
  name: 'dailySales',
  version: 5,
  indexes: [],
  keys: keysOf,
  on: {
    SaleConfirmed: (day, { data }, key) => withSale(day ?? emptyDay(key), data),
    InvoiceEdited: (day, { data }) => day && withDifference(day, data),
    PaymentRefunded: (day, { data: { givenBackInStoreCurrency, sourceType } }, key) =>
      withReturns(day ?? emptyDay(key), sourceType, givenBackInStoreCurrency),
    RefundFailed: (day, { data: { givenBackInStoreCurrency, sourceType } }) =>
      day && withReturns(day, sourceType, -givenBackInStoreCurrency),
    InvoiceCancelled: (day, { data: { sale } }) =>
      day && sale
        ? changed(day, sale.sourceType, (sums) => withCancelled(withFigures(sums, sale, -1), sale, 1))
        : day,
    InvoiceDeleted: (day, { data: { sale, wasCancelled } }) =>
      day && sale
        ? changed(day, sale.sourceType, (sums) =>
            wasCancelled ? withCancelled(sums, sale, -1) : withFigures(sums, sale, -1),
          )
        : day,
    CustomerSaleCancelled: (day, { data }) => day && saleCancelled(day, data),
    OrderStatusChanged: (day, event, key) => {
      const known = day ?? emptyDay(key);
      const [{ change } = { change: 0 }] = fulfilled(event);
      return { ...known, ordersFulfilled: known.ordersFulfilled + change };
    },
  },
});
