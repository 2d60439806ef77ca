import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent, OrderLine } from '#events/invoice.fields.ts';
import { projection, type Document } from '#kernel/projection.ts';
import { MAX_AMOUNT, type Minor } from '#values/money.ts';

/**
 * What one business day sold, under its day (`YYYY-MM-DD` in the reporting time zone). Every report adds up such days.
 * Amounts in minor units of the store's currency.
 */
export interface DaySales extends Document {
  /** Before discounts, without tax and shipping. */
  readonly grossSales: Minor;
  /** Positive. */
  readonly discounts: Minor;
  readonly shipping: Minor;
  readonly taxes: Minor;
  readonly total: Minor;
  /** Cost of the goods that were sold. */
  readonly cost: Minor;
  readonly invoices: number;
  /** Pieces. */
  readonly items: number;
  readonly ordersFulfilled: number;
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
  grossSales: 0,
  discounts: 0,
  shipping: 0,
  taxes: 0,
  total: 0,
  cost: 0,
  invoices: 0,
  items: 0,
  ordersFulfilled: 0,
  customersByPreviousSale: {},
});

/** With its add-ons, each of which may cost the shop more or less. */
const unitCost = ({ costInStoreCurrency, addons = [] }: OrderLine): Minor =>
  addons.reduce((cost, addon) => cost + addon.costInStoreCurrency, costInStoreCurrency);

/** At most the largest amount: what a shop says its goods cost is bounded by nothing that it sells them for. */
const costOf = ({ orders }: InvoiceContent): Minor => {
  let cost = 0;
  for (const { lines } of orders) {
    for (const line of lines) cost += unitCost(line) * line.quantity;
  }
  return Math.max(0, Math.min(cost, MAX_AMOUNT));
};

const withCustomer = (day: DaySales, previousSaleDay: string | null): DaySales['customersByPreviousSale'] => {
  const counts = day.customersByPreviousSale;
  if (previousSaleDay === day._id) return counts;
  const key = previousSaleDay ?? FIRST_SALE;
  return { ...counts, [key]: (counts[key] ?? 0) + 1 };
};

const withSale = (day: DaySales, content: InvoiceContent, previousSaleDay: string | null): DaySales => {
  const { subTotal, discount, shipping, tax, total } = content.amountsInStoreCurrency;
  return {
    ...day,
    grossSales: day.grossSales + subTotal,
    discounts: day.discounts + discount,
    shipping: day.shipping + shipping,
    taxes: day.taxes + tax,
    total: day.total + total,
    cost: day.cost + costOf(content),
    invoices: day.invoices + 1,
    items: day.items + content.itemCount,
    customersByPreviousSale: withCustomer(day, previousSaleDay),
  };
};

type ReportedEvent = Extract<InvoiceEvent, { readonly type: 'SaleConfirmed' | 'OrderStatusChanged' }>;

/**
 * Sales by business day. A sale counts on the day on which its invoice was created, once it has been confirmed; an
 * unpaid invoice counts nowhere (docs/rules/reporting.md#which-sales-count).
 *
 * An order is fulfilled on the day on which it is completed. The event of that carries the business day of its invoice
 * only, so the UTC day of its recording is taken: exact for a store that reports in UTC, elsewhere the night hours of
 * a completion may fall on the neighbouring day.
 */
export const dailySalesProjection = projection<ReportedEvent>()<DaySales>({
  name: 'dailySales',
  version: 2,
  indexes: [],
  keys: (event) => {
    if (event.type === 'SaleConfirmed') return [event.data.content.businessDay];
    return event.data.to === 'Completed' ? [event.recordedAt.slice(0, 10)] : [];
  },
  on: {
    SaleConfirmed: (day, { data: { content, previousSaleDay } }, key) =>
      withSale(day ?? emptyDay(key), content, previousSaleDay),
    OrderStatusChanged: (day, _event, key) => {
      const known = day ?? emptyDay(key);
      return { ...known, ordersFulfilled: known.ordersFulfilled + 1 };
    },
  },
});
