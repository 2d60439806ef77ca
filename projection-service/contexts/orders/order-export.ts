import { orderExportItem, type OrderExportItem } from '#contracts/export.contract.ts';
import type { InvoiceContent, OrderAddon, OrderLine, SourceType } from '#events/invoice.fields.ts';
import { statusInWords } from '#values/invoice-balance.ts';
import { dayAfter, dayBefore } from '#values/business-day.ts';
import { toDecimal, type Minor } from '#values/money.ts';
import { documentsAfter } from '../../engine/exports/documents-after.ts';
import type { Export, ExportSources, ReadPage } from '../../engine/exports/export.ts';
import { buyerName, type OrderDocument } from './order.document.ts';
import { ordersAsOf } from './orders-as-of.ts';

/** Business days, both included. */
export interface OrderExportAsked {
  readonly fromDate: string;
  readonly toDate: string;
  readonly includeCancelled: boolean;
  /** Null: all of them. */
  readonly sourceType: SourceType | null;
  /** Position of the last event that counts; null: as of now. */
  readonly asOf: number | null;
}

type LineItem = OrderExportItem['lineItems'][number];

const lineItems = ({ orders }: InvoiceContent, decimal: (amount: Minor) => number): readonly LineItem[] => {
  const item = (
    { name, sku, unitPrice, lineTotal }: OrderLine | OrderAddon,
    quantity: number,
    type: LineItem['type'],
  ): LineItem => ({
    name,
    sku,
    quantity,
    unitPrice: decimal(unitPrice),
    lineTotal: decimal(lineTotal),
    type,
  });
  return orders.flatMap(({ lines }) =>
    lines.flatMap((line) => [
      item(line, line.quantity, line.kind === 'custom' ? 'Custom' : 'Product'),
      ...(line.addons ?? []).map((addon) => item(addon, line.quantity, 'Addon')),
    ]),
  );
};

/** A sale as a row (docs/rules/exports.md#orders). */
const rowOf = (order: OrderDocument, content: InvoiceContent): OrderExportItem => {
  const { currency, storeCurrency, amounts, amountsInStoreCurrency: inStore } = content;
  const own = (amount: Minor): number => toDecimal(amount, currency);
  const store = (amount: Minor): number => toDecimal(amount, storeCurrency);
  return {
    invoiceNumber: order.invoiceNumber,
    invoiceDate: order.dateCreated,
    paymentStatus: statusInWords(order.balance.paymentStatus),
    billingName: buyerName(order),
    subTotal: own(amounts.subTotal),
    tax: own(amounts.tax),
    shipping: own(amounts.shipping),
    total: own(amounts.total),
    currencyCode: currency,
    storeCurrencyCode: storeCurrency,
    subTotalInStoreCurrency: store(inStore.subTotal),
    taxInStoreCurrency: store(inStore.tax),
    shippingInStoreCurrency: store(inStore.shipping),
    totalInStoreCurrency: store(inStore.total),
    orderNumber: order.invoiceNumber,
    customerName: buyerName(order),
    customerEmail: order.email,
    channel: content.channel,
    sourceType: content.source.type,
    discount: own(amounts.discount),
    lineItems: [...lineItems(content, own)],
  };
};

/** The row of an invoice, where it is asked for and counts in reports (docs/rules/reporting.md#which-sales-count). */
export const exportedOrder = (
  order: OrderDocument,
  { fromDate, toDate, includeCancelled, sourceType }: OrderExportAsked,
): readonly OrderExportItem[] => {
  const { content, confirmedAt, cancellation, businessDay } = order;
  if (content === null || confirmedAt === null || businessDay < fromDate || businessDay > toDate) return [];
  if (cancellation !== null && !includeCancelled) return [];
  if (sourceType !== null && content.source.type !== sourceType) return [];
  return [rowOf(order, content)];
};

/** Where the zone is far from Greenwich, a day begins or ends on another day of UTC. */
const daysOfUtc = ({ fromDate, toDate }: OrderExportAsked) => ({
  from: dayBefore(fromDate),
  before: dayAfter(dayAfter(toDate)),
});

const readNow = (sources: ExportSources, { collection, asked, after }: ReadPage<OrderExportAsked>) =>
  documentsAfter<OrderDocument>(sources, {
    collection,
    filter: { cancellationStatus: asked.includeCancelled ? { in: ['active', 'cancelled'] } : 'active' },
    sortedBy: 'dateCreated',
    ...daysOfUtc(asked),
    after,
  });

const readThen = async (
  { histories }: ExportSources,
  { asked, after }: ReadPage<OrderExportAsked>,
  position: number,
) => ordersAsOf(await histories(), { position, ...daysOfUtc(asked), after });

/** Sales, the oldest first; as of an earlier moment in the order of their numbers. */
export const orderExport: Export<OrderExportAsked> = {
  view: 'orders',
  columns: Object.keys(orderExportItem.shape),
  read: async (sources, page) => {
    const { asked } = page;
    const { documents, next } = await (asked.asOf === null
      ? readNow(sources, page)
      : readThen(sources, page, asked.asOf));
    return { rows: documents.flatMap((order) => exportedOrder(order, asked)), next };
  },
};
