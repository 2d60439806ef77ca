import type { CustomerEvent } from '#events/customer.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { ClosedSale } from '#events/invoice.fields.ts';
import { saleFigures } from '#events/sale-figures.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import { projection, type Document } from '#kernel/projection.ts';

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

/**
 * What one business day sold, under its day (`YYYY-MM-DD` in the reporting time zone). Every report adds up such days.
 * Amounts in minor units of the store's currency.
 */
export interface DaySales extends Document, SaleSums {
  readonly ordersFulfilled: number;
  /** Of sales that were cancelled: they stand in nothing else here. */
  readonly cancelled: SaleSums;
  /**
   * How many customers bought on this day, by the day on which they had bought before; `FIRST_SALE` for those who had
   * not. Who buys again on the same day is counted once. From this the customers of any window can be told apart
   * without looking at a single sale: within a window the first purchase of each is the one whose day before it is
   * outside.
   */
  readonly customersByPreviousSale: Readonly<Record<string, number>>;
}

export const FIRST_SALE = 'first';

export const emptyDay = (day: string): DaySales => ({
  _id: day,
  ...noSales,
  ordersFulfilled: 0,
  cancelled: noSales,
  customersByPreviousSale: {},
});

const withCustomer = (day: DaySales, previousSaleDay: string | null): DaySales['customersByPreviousSale'] => {
  const counts = day.customersByPreviousSale;
  if (previousSaleDay === day._id) return counts;
  const key = previousSaleDay ?? FIRST_SALE;
  return { ...counts, [key]: (counts[key] ?? 0) + 1 };
};

/** Adds what a sale brings, or takes it away again. */
const withFigures = <Day extends SaleSums>(day: Day, sale: ClosedSale, times: 1 | -1): Day => ({
  ...day,
  ...saleSums((figure) => day[figure] + times * figureOf[figure](sale)),
});

const withSale = (
  day: DaySales,
  { content, previousSaleDay, returns = 0 }: EventOfType<InvoiceEvent, 'SaleConfirmed'>['data'],
): DaySales => ({
  ...withFigures(day, saleFigures(content, returns), 1),
  customersByPreviousSale: withCustomer(day, previousSaleDay),
});

const withCancelled = (day: DaySales, sale: ClosedSale, times: 1 | -1): DaySales => ({
  ...day,
  cancelled: withFigures(day.cancelled, sale, times),
});

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
  { amounts, cost, items, returns }: EventOfType<InvoiceEvent, 'InvoiceEdited'>['data']['difference'],
): DaySales => ({
  ...withFigures(day, { amounts, cost, items, returns }, 1),
  invoices: day.invoices,
});

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
  version: 4,
  indexes: [],
  keys: keysOf,
  on: {
    SaleConfirmed: (day, { data }, key) => withSale(day ?? emptyDay(key), data),
    InvoiceEdited: (day, { data: { difference } }) => day && withDifference(day, difference),
    PaymentRefunded: (day, { data: { givenBackInStoreCurrency } }, key) => {
      const known = day ?? emptyDay(key);
      return { ...known, returns: known.returns + givenBackInStoreCurrency };
    },
    RefundFailed: (day, { data: { givenBackInStoreCurrency } }) =>
      day && { ...day, returns: day.returns - givenBackInStoreCurrency },
    InvoiceCancelled: (day, { data: { sale } }) =>
      day && sale ? withCancelled(withFigures(day, sale, -1), sale, 1) : day,
    InvoiceDeleted: (day, { data: { sale, wasCancelled } }) => {
      if (!day || !sale) return day;
      return wasCancelled ? withCancelled(day, sale, -1) : withFigures(day, sale, -1);
    },
    CustomerSaleCancelled: (day, { data }) => day && saleCancelled(day, data),
    OrderStatusChanged: (day, event, key) => {
      const known = day ?? emptyDay(key);
      const [{ change } = { change: 0 }] = fulfilled(event);
      return { ...known, ordersFulfilled: known.ordersFulfilled + change };
    },
  },
});
