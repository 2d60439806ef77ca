import { addressResponse } from '#contracts/basket-response.ts';
import type { OrderDetail, OrderListQuery, OrderRow } from '#contracts/orders.contract.ts';
import type { Amounts, InvoiceContent, OrderAddon, OrderContent, OrderLine } from '#events/invoice.fields.ts';
import { isoInstant } from '#kernel/clock.ts';
import { defined } from '#kernel/defined.ts';
import type { Figures } from '#kernel/projection.ts';
import type { Condition, Filter } from '#ports/document-store.ts';
import { daysUntil } from '#values/account-terms.ts';
import { dayAfter, startOfNamedDay } from '#values/business-day.ts';
import { symbolOf } from '#values/currency.ts';
import { statusInWords } from '#values/invoice-balance.ts';
import { toDecimal, type Minor } from '#values/money.ts';
import { noOrderDates } from '#values/order-transitions.ts';
import { riskLevel } from '#values/risk-level.ts';
import { statusSetsWith } from './order-counters.ts';
import { canFulfill, shipmentsOf } from './fulfillment-summary.ts';
import { notSubmitted } from './order-submissions.ts';
import { countNotes, noteResponse } from './order-notes.queries.ts';
import { buyerName, type OrderDocument, type OrderNote } from './order.document.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { customersOverLimit } from './credit-use.ts';

/** From the first instant of one day to the last of another; undefined without either. */
const createdWithin = (
  { dateFrom, dateTo }: Pick<OrderListQuery, 'dateFrom' | 'dateTo'>,
  timeZone: string,
): Condition | undefined => {
  if (dateFrom === undefined && dateTo === undefined) return undefined;
  const instant = (day: string): string => isoInstant(startOfNamedDay(day, timeZone));
  return {
    ...(dateFrom !== undefined && { gte: instant(dateFrom) }),
    ...(dateTo !== undefined && { lt: instant(dayAfter(dateTo)) }),
  };
};

/** `figures`: the list's counters. A condition on the cancellation always comes first: every index begins with it. */
export const orderFilter = (query: OrderListQuery, figures: Figures, timeZone: string): Filter => ({
  cancellationStatus:
    query.cancellationStatus === 'all'
      ? { in: ['active', 'cancelled'] }
      : (query.cancellationStatus ?? 'active'),
  ...(query.status !== undefined && { statusSet: { in: statusSetsWith(query.status, figures) } }),
  ...defined({
    'balance.paymentStatus': query.paymentStatus,
    fulfillmentStatus: query.fulfillmentStatus,
    customerId: query.customerId,
    'billingAddress.countryCode': query.country,
    dateCreated: createdWithin(query, timeZone),
  }),
  ...(query.search && { searchText: { contains: query.search.toLowerCase() } }),
});

const cancellationReason = ({ cancellation }: OrderDocument): string | null => {
  if (cancellation === null) return null;
  switch (cancellation.reason) {
    case 'superseded':
      return 'Replaced by a newer order of the same basket.';
    case 'expired':
      return 'expired';
    case 'cancelled':
      return cancellation.detail;
    case 'void':
      return cancellation.detail ?? 'The order could not be placed.';
  }
};

/** What a row needs beside its invoice. */
export interface RowContext {
  /** Stands in where an invoice never came to have one. */
  readonly storeCurrency: string;
  readonly now: number;
  readonly timeZone: string;
  /** Customers who owe more than they may. */
  readonly overLimit: ReadonlySet<string>;
}

/** As it is now, for these invoices. */
export const loadRowContext = async (
  { settings, clock, reader }: Pick<ProjectionDeps, 'settings' | 'clock' | 'reader'>,
  orders: readonly OrderDocument[],
): Promise<RowContext> => {
  const { storeCurrencyCode: storeCurrency, reportingTimeZone: timeZone } = settings();
  const overLimit = await customersOverLimit(
    reader,
    orders.map(({ customerId }) => customerId),
  );
  return { storeCurrency, now: clock.now(), timeZone, overLimit };
};

/** Only a sale is owed: an unconfirmed order is never due. */
const whenDue = (
  { dueDate, confirmedAt, cancellation, balance }: OrderDocument,
  { now, timeZone }: RowContext,
): Pick<OrderRow, 'dueDate' | 'isOverdue' | 'daysUntilDue'> => {
  const isOwed = confirmedAt !== null && cancellation === null && balance.balanceDue > 0;
  const daysUntilDue = dueDate !== null && isOwed ? daysUntil(dueDate, now, timeZone) : null;
  return { dueDate, isOverdue: daysUntilDue !== null && daysUntilDue < 0, daysUntilDue };
};

/** A row of the list. */
export const orderRow = (order: OrderDocument, asked: RowContext): OrderRow => {
  const { storeCurrency } = asked;
  const { content, cancellation, balance } = order;
  const currency = content?.currency ?? storeCurrency;
  const ownCurrency = content?.storeCurrency ?? storeCurrency;
  return {
    id: order._id,
    invoiceNumber: order.invoiceNumber,
    dateCreated: order.dateCreated,
    dateUpdated: order.dateUpdated,
    customerName: buyerName(order),
    channel: content?.channel ?? null,
    sourceType: content?.source.type ?? null,
    sourceName: content?.source.sourceName ?? null,
    currencyCode: currency,
    currencySymbol: symbolOf(currency),
    storeCurrencyCode: ownCurrency,
    storeCurrencySymbol: symbolOf(ownCurrency),
    total: toDecimal(content?.amounts.total ?? 0, currency),
    totalInStoreCurrency: toDecimal(order.totalInStoreCurrency, ownCurrency),
    isMultiCurrency: currency !== ownCurrency,
    paymentStatus: balance.paymentStatus,
    paymentStatusDisplay: statusInWords(balance.paymentStatus),
    fulfillmentStatus: order.fulfillmentStatus,
    isCancelled: cancellation !== null,
    dateCancelled: cancellation?.at ?? null,
    cancellationReason: cancellationReason(order),
    itemCount: content?.itemCount ?? 0,
    deliveryStatus: order.deliveryStatus,
    ...whenDue(order, asked),
    maxRiskScore: order.risk?.score ?? null,
    maxRiskScoreSource: order.risk?.source ?? null,
    riskLevel: riskLevel(order.risk?.score ?? null),
    creditLimitExceeded: order.customerId !== null && asked.overLimit.has(order.customerId),
  };
};

/** Amounts of both currencies as decimals. */
interface Decimals {
  readonly own: (amount: Minor) => number;
  readonly store: (amount: Minor) => number;
}

type LineResponse = OrderDetail['orders'][number]['lineItems'][number];

const lineAmounts = (line: Omit<OrderLine | OrderAddon, 'basketLineId'>, { own, store }: Decimals) => ({
  unitPrice: own(line.unitPrice),
  lineTotal: own(line.lineTotal),
  lineTotalInStoreCurrency: store(line.lineTotalInStoreCurrency),
  discount: own(line.discount),
  tax: own(line.tax),
  taxRate: line.taxRate,
  isTaxable: line.isTaxable,
  cost: own(line.cost ?? line.costInStoreCurrency),
  costInStoreCurrency: store(line.costInStoreCurrency),
});

/** A line, and behind that of a product its add-ons as lines of their own. */
const lineResponses = (
  { basketLineId: _, addons = [], kind, edit: __, ...line }: OrderLine,
  decimals: Decimals,
): LineResponse[] => [
  {
    ...line,
    lineItemType: kind === 'custom' ? 'Custom' : 'Product',
    parentLineItemId: null,
    ...lineAmounts(line, decimals),
  },
  ...addons.map(({ basketLineId: _id, ...addon }): LineResponse => ({
    ...addon,
    productId: null,
    productRootId: null,
    productRootName: line.productRootName,
    selectedOptions: [],
    quantity: line.quantity,
    isDigital: line.isDigital,
    lineItemType: 'Addon',
    parentLineItemId: line.id,
    ...lineAmounts(addon, decimals),
  })),
];

const orderResponse = (
  { lines, ...order }: OrderContent,
  document: OrderDocument,
  decimals: Decimals,
): OrderDetail['orders'][number] => {
  const { orderId } = order;
  const { orderStatuses, orderDates, cancellationReasons } = document;
  return {
    id: orderId,
    status: orderStatuses[orderId] ?? 'Pending',
    ...(orderDates[orderId] ?? noOrderDates),
    cancellationReason: cancellationReasons[orderId] ?? null,
    ...(document.fulfilments[orderId] ?? notSubmitted),
    warehouseId: order.warehouseId,
    shippingOptionId: order.shippingOptionId,
    shippingServiceName: order.shippingServiceName,
    shippingCost: decimals.own(order.shippingCost),
    shippingCostInStoreCurrency: decimals.store(order.shippingCostInStoreCurrency),
    requestedDeliveryDate: order.requestedDeliveryDate,
    lineItems: lines.flatMap((line) => lineResponses(line, decimals)),
    shipments: [...shipmentsOf(document, { ...order, lines })],
  };
};

const noAmounts: Amounts = { subTotal: 0, discount: 0, shipping: 0, tax: 0, total: 0 };

const figures = (content: InvoiceContent | null, { own, store }: Decimals) => {
  const amounts = content?.amounts ?? noAmounts;
  const inStore = content?.amountsInStoreCurrency ?? noAmounts;
  return {
    subTotal: own(amounts.subTotal),
    discountTotal: own(amounts.discount),
    shippingCost: own(amounts.shipping),
    tax: own(amounts.tax),
    subTotalInStoreCurrency: store(inStore.subTotal),
    discountTotalInStoreCurrency: store(inStore.discount),
    shippingCostInStoreCurrency: store(inStore.shipping),
    taxInStoreCurrency: store(inStore.tax),
  };
};

/** What is set aside and not being let go, and until when the first of it can be captured. */
const authorizedFigures = ({ awaited }: OrderDocument, { own }: Pick<Decimals, 'own'>) => {
  const held = (awaited?.authorized ?? []).filter(({ isToBeVoided }) => !isToBeVoided);
  const [first = null] = held.flatMap(({ expiresAt }) => expiresAt ?? []).sort();
  return {
    authorizedAmount: own(held.reduce((sum, { amount }) => sum + amount, 0)),
    authorizedUntil: first,
  };
};

export const balanceFigures = (document: OrderDocument, { own }: Pick<Decimals, 'own'>) => {
  const { balance, payments } = document;
  const { balanceDue, creditDue } = balance;
  const [balanceStatus, balanceStatusLabel] =
    balanceDue > 0
      ? (['Due', 'Balance due'] as const)
      : creditDue > 0
        ? (['Credit', 'Credit due'] as const)
        : (['Balanced', 'Balanced'] as const);
  return {
    amountPaid: own(balance.amountPaid),
    amountRefunded: own(balance.amountRefunded),
    balanceDue: own(balanceDue),
    creditDue: own(creditDue),
    ...authorizedFigures(document, { own }),
    balanceStatus,
    balanceStatusLabel,
    payments: payments.map(({ paymentId, amount, paidAt, risk: _, ...payment }) => ({
      id: paymentId,
      ...payment,
      amount: own(amount),
      datePaid: paidAt,
    })),
  };
};

/** What stands in other documents. */
interface Beside extends Pick<OrderDetail, 'source'> {
  readonly customerOrderCount: number;
  /** The newest, oldest first. */
  readonly notes: readonly OrderNote[];
}

/** Everything of an invoice. */
export const orderDetail = (
  order: OrderDocument,
  asked: RowContext,
  { customerOrderCount, notes, source }: Beside,
): OrderDetail => {
  const { content } = order;
  const row = orderRow(order, asked);
  const decimals: Decimals = {
    own: (amount) => toDecimal(amount, row.currencyCode),
    store: (amount) => toDecimal(amount, row.storeCurrencyCode),
  };
  return {
    ...row,
    basketId: content?.basketId ?? null,
    customerId: order.customerId,
    customerEmail: order.email,
    purchaseOrder: order.purchaseOrder,
    source,
    pricingExchangeRate: Number(content?.rate ?? 1),
    pricingExchangeRateSource: content?.quote?.source ?? null,
    pricingExchangeRateTimestampUtc: content?.quote?.quotedAt ?? null,
    ...figures(content, decimals),
    discounts: (content?.discounts ?? []).map(
      ({ lineId: _, isReferral: __, orderId = null, ...discount }) => ({
        ...discount,
        orderId,
        amount: decimals.own(discount.amount),
        amountInStoreCurrency: decimals.store(discount.amountInStoreCurrency ?? discount.amount),
      }),
    ),
    ...balanceFigures(order, decimals),
    billingAddress: addressResponse(order.billingAddress),
    shippingAddress: addressResponse(order.shippingAddress),
    orders: (content?.orders ?? []).map((part) => orderResponse(part, order, decimals)),
    notes: notes.map(noteResponse),
    noteCount: countNotes(order),
    customerOrderCount,
    canFulfill: canFulfill(order),
  };
};
