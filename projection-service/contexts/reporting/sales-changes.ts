import type { CustomerEvent } from '#events/customer.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { SourceType } from '#events/invoice.fields.ts';
import { laterSourceTypeOf, saleFigures } from '#events/sale-figures.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import { customersGained, customersLost } from './customer-changes.ts';
import { figuresOfSale, lessened, noSales, type SalesChange } from './day-totals.ts';

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

/** What counts in all, and in the source that an event names; where it names none, in the storefront. */
const inBoth = (
  { sourceType = 'web' }: { readonly sourceType?: SourceType },
  change: Omit<SalesChange, 'scope'>,
): readonly SalesChange[] => [
  { scope: 'all', ...change },
  { scope: sourceType, ...change },
];

const saleConfirmed = ({
  content,
  returns = 0,
}: InvoiceEventData<'SaleConfirmed'>): readonly SalesChange[] => {
  const sale = saleFigures(content, returns);
  return inBoth(sale, { businessDay: content.businessDay, sales: figuresOfSale(sale) });
};

/** A sale that was edited is one sale still. */
const saleEdited = ({
  businessDay,
  content,
  difference,
  isOfSale,
}: InvoiceEventData<'InvoiceEdited'>): readonly SalesChange[] =>
  isOfSale
    ? inBoth(laterSourceTypeOf(content), {
        businessDay,
        sales: { ...figuresOfSale(difference), invoices: 0 },
      })
    : [];

const returnsChanged = (
  refund: InvoiceEventData<'PaymentRefunded' | 'RefundFailed'>,
  returns: number,
): readonly SalesChange[] =>
  refund.isOfSale && returns !== 0
    ? inBoth(refund, { businessDay: refund.businessDay, sales: { ...noSales, returns } })
    : [];

const saleCancelled = ({
  businessDay,
  sale,
}: InvoiceEventData<'InvoiceCancelled'>): readonly SalesChange[] => {
  if (!sale) return [];
  const figures = figuresOfSale(sale);
  return inBoth(sale, { businessDay, sales: lessened(figures), cancelled: figures });
};

/** Its completed orders stop counting as fulfilled; those of an invoice that is only cancelled keep counting. */
const invoiceDeleted = (invoice: InvoiceEventData<'InvoiceDeleted'>): readonly SalesChange[] => {
  const { businessDay, sale, wasCancelled, completedDays } = invoice;
  const orders = completedDays.flatMap((day) => inBoth(invoice, { businessDay: day, ordersFulfilled: -1 }));
  if (!sale) return orders;
  const figures = lessened(figuresOfSale(sale));
  return [
    ...inBoth(sale, { businessDay, ...(wasCancelled ? { cancelled: figures } : { sales: figures }) }),
    ...orders,
  ];
};

/**
 * An order is fulfilled on the business day on which it is completed, and not any more once it leaves Completed. What
 * older releases wrote says no day of its own: the UTC day of its recording stands in.
 */
const orderMoved = ({
  recordedAt,
  data,
}: Recorded<EventOfType<InvoiceEvent, 'OrderStatusChanged'>>): readonly SalesChange[] => {
  const { from, to, changedDay = recordedAt.slice(0, 10), completedDay } = data;
  if (to === 'Completed') return inBoth(data, { businessDay: changedDay, ordersFulfilled: 1 });
  return from === 'Completed' && completedDay !== undefined
    ? inBoth(data, { businessDay: completedDay, ordersFulfilled: -1 })
    : [];
};

/**
 * What an event changes in the figures of which business days. Everything that reports say of sales is a sum of these,
 * by the day on which it was recorded (docs/rules/reporting.md#which-sales-count).
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
      return customersGained(event.data);
    case 'CustomerSaleCancelled':
      return customersLost(event.data);
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
