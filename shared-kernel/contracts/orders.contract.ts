import { z } from 'zod';
import { asOf } from './as-of.contract.ts';
import { basketFields } from './basket.contract.ts';
import { shipment } from './shipment-fields.ts';
import { enumFilter, listFields } from './listing.contract.ts';
import { calendarDay, salesFilter } from './reporting.contract.ts';
import { country, guid } from '#fields/body-fields.ts';

/** Orders as the backoffice reads them: a row is an invoice (docs/rules/orders.md#list). */

export const orderStatuses = {
  Pending: 0,
  AwaitingStock: 10,
  ReadyToFulfill: 20,
  Processing: 30,
  PartiallyShipped: 40,
  Shipped: 50,
  Completed: 60,
  Cancelled: 70,
  OnHold: 80,
  FulfilmentFailed: 90,
} as const;

const paymentStatuses = {
  Unpaid: 0,
  AwaitingPayment: 10,
  PartiallyPaid: 20,
  Paid: 30,
  PartiallyRefunded: 40,
  Refunded: 50,
} as const;

const orderListFields = z.object({
  ...listFields(),
  /** Invoices with at least one order in this status. */
  status: enumFilter(orderStatuses),
  paymentStatus: enumFilter(paymentStatuses),
  fulfillmentStatus: enumFilter({ Unfulfilled: 0, Processing: 1, Partial: 2, Fulfilled: 3 }),
  cancellationStatus: enumFilter({ active: 0, cancelled: 1, all: 2 }),
  /** Made on this day or later; of an instant the date counts. */
  dateFrom: calendarDay.optional(),
  /** Made on this day or earlier. */
  dateTo: calendarDay.optional(),
  /** Where it is billed to. */
  country: country.optional(),
  customerId: guid.optional(),
});

export const orderListQuery = orderListFields.refine(
  ({ dateFrom, dateTo }) => dateFrom === undefined || dateTo === undefined || dateFrom <= dateTo,
  { path: ['dateTo'], message: 'must be a day not before dateFrom' },
);
export type OrderListQuery = z.output<typeof orderListQuery>;

const amount = z.number();

const currencies = {
  currencyCode: z.string(),
  currencySymbol: z.string(),
  storeCurrencyCode: z.string(),
  storeCurrencySymbol: z.string(),
};

/** What nothing in the shop knows yet is null: shipments, due dates and risk scores. */
export const orderRow = z.object({
  id: z.string(),
  invoiceNumber: z.string(),
  dateCreated: z.string(),
  dateUpdated: z.string(),
  customerName: z.string().nullable(),
  channel: z.string().nullable(),
  sourceType: z.string().nullable(),
  sourceName: z.string().nullable(),
  ...currencies,
  total: amount,
  totalInStoreCurrency: amount,
  isMultiCurrency: z.boolean(),
  paymentStatus: z.string(),
  paymentStatusDisplay: z.string(),
  fulfillmentStatus: z.string(),
  isCancelled: z.boolean(),
  dateCancelled: z.string().nullable(),
  cancellationReason: z.string().nullable(),
  /** Pieces. */
  itemCount: z.int(),
  deliveryStatus: z.string().nullable(),
  dueDate: z.string().nullable(),
  isOverdue: z.boolean(),
  daysUntilDue: z.int().nullable(),
  maxRiskScore: z.number().nullable(),
  maxRiskScoreSource: z.string().nullable(),
  riskLevel: z.string().nullable(),
  creditLimitExceeded: z.boolean(),
});
export type OrderRow = z.output<typeof orderRow>;

export const orderLine = z.object({
  id: z.string(),
  /** Of products, like the next. */
  productId: z.string().nullable(),
  productRootId: z.string().nullable(),
  sku: z.string(),
  name: z.string(),
  productRootName: z.string(),
  selectedOptions: z.array(z.object({ optionName: z.string(), valueName: z.string() })),
  /** `Custom`: written by hand. */
  lineItemType: z.enum(['Product', 'Addon', 'Custom']),
  /** Of an add-on: the line of its product. */
  parentLineItemId: z.string().nullable(),
  /** What was chosen. */
  optionId: z.string().optional(),
  valueId: z.string().optional(),
  quantity: z.int(),
  unitPrice: amount,
  lineTotal: amount,
  lineTotalInStoreCurrency: amount,
  discount: amount,
  tax: amount,
  taxRate: z.number(),
  isTaxable: z.boolean(),
  isDigital: z.boolean(),
  /** Of a line written by hand: whose rate it is taxed at. */
  taxGroupId: z.string().nullable().optional(),
  /** Of one unit. */
  cost: amount,
  costInStoreCurrency: amount,
});

const order = z.object({
  id: z.string(),
  status: z.string(),
  warehouseId: z.string().nullable(),
  shippingOptionId: z.string().nullable(),
  shippingServiceName: z.string().nullable(),
  shippingCost: amount,
  shippingCostInStoreCurrency: amount,
  requestedDeliveryDate: z.string().nullable(),
  processingStartedDate: z.string().nullable(),
  shippedDate: z.string().nullable(),
  completedDate: z.string().nullable(),
  cancelledDate: z.string().nullable(),
  cancellationReason: z.string().nullable(),
  /** As its fulfilment provider calls it; null until one has taken it. */
  fulfilmentProviderReference: z.string().nullable(),
  fulfilmentSubmittedAt: z.string().nullable(),
  /** Why the last try to submit it came to nothing. */
  fulfilmentErrorMessage: z.string().nullable(),
  fulfilmentRetryCount: z.int(),
  lineItems: z.array(orderLine),
  shipments: z.array(shipment),
});

const discount = z.object({
  id: z.string(),
  /** The order that holds what it is taken from, else the first one. */
  orderId: z.string().nullable(),
  discountId: z.string(),
  name: z.string(),
  code: z.string().nullable(),
  category: z.string(),
  /** Positive. */
  amount,
  amountInStoreCurrency: amount,
});

/** Of a refund the amount is negative. */
const payment = z.object({
  id: z.string(),
  parentPaymentId: z.string().nullable(),
  paymentType: z.string(),
  provider: z.string(),
  method: z.string().nullable(),
  transactionId: z.string(),
  amount,
  datePaid: z.string(),
});

export const orderNote = z.object({
  date: z.string(),
  text: z.string(),
  authorId: z.string(),
  author: z.string(),
  isVisibleToCustomer: z.boolean(),
});
export type OrderNoteResponse = z.output<typeof orderNote>;

const source = z.object({
  type: z.string(),
  displayName: z.string(),
  sourceId: z.string().nullable(),
  sourceName: z.string().nullable(),
  protocolVersion: z.string().nullable(),
  sessionId: z.string().nullable(),
});

const figures = {
  subTotal: amount,
  discountTotal: amount,
  shippingCost: amount,
  tax: amount,
};

export const orderDetail = orderRow.extend({
  basketId: z.string().nullable(),
  customerId: z.string().nullable(),
  customerEmail: z.string().nullable(),
  purchaseOrder: z.string().nullable(),
  source: source.nullable(),
  /** Store units for one unit of the invoice's currency. */
  pricingExchangeRate: z.number(),
  pricingExchangeRateSource: z.string().nullable(),
  pricingExchangeRateTimestampUtc: z.string().nullable(),
  ...figures,
  subTotalInStoreCurrency: amount,
  discountTotalInStoreCurrency: amount,
  shippingCostInStoreCurrency: amount,
  taxInStoreCurrency: amount,
  discounts: z.array(discount),
  amountPaid: amount,
  amountRefunded: amount,
  balanceDue: amount,
  creditDue: amount,
  balanceStatus: z.enum(['Balanced', 'Due', 'Credit']),
  balanceStatusLabel: z.string(),
  /** Set aside by providers, to be captured. */
  authorizedAmount: z.number(),
  authorizedUntil: z.string().nullable(),
  payments: z.array(payment),
  billingAddress: basketFields.shape.billingAddress,
  shippingAddress: basketFields.shape.shippingAddress,
  orders: z.array(order),
  /** The newest 200, oldest first; all of them are under `/notes`. */
  notes: z.array(orderNote),
  noteCount: z.int(),
  /** How many invoices of this customer stand. */
  customerOrderCount: z.int(),
  canFulfill: z.boolean(),
});
export type OrderDetail = z.output<typeof orderDetail>;

export const statsQuery = z.object({ asOf });

/** Narrows what is said of sales and customers. */
export const dashboardQuery = salesFilter.extend({ asOf });

/** The last four are other names of the same figures (docs/rules/orders.md#statistics). */
export const orderStats = z.object({
  ordersToday: z.int(),
  itemsOrderedToday: z.int(),
  ordersFulfilledToday: z.int(),
  totalOutstandingValue: amount,
  outstandingInvoiceCount: z.int(),
  overdueInvoiceCount: z.int(),
  currencyCode: z.string(),
  orders: z.int(),
  items: z.int(),
  fulfilled: z.int(),
  outstanding: z.int(),
});
export type OrderStats = z.output<typeof orderStats>;

/** The month so far in the shop's zone, compared with the whole month before (docs/rules/reporting.md#dashboard). */
export const dashboardStats = z.object({
  storeCurrencyCode: z.string(),
  storeCurrencySymbol: z.string(),
  ordersThisMonth: z.int(),
  ordersChangePercent: z.number(),
  revenueThisMonth: amount,
  revenueChangePercent: z.number(),
  productCount: z.int(),
  /** Products of this month. */
  productCountChange: z.int(),
  /** Customers with a confirmed sale. */
  customerCount: z.int(),
  /** Those whose first one is of this month. */
  customerCountChange: z.int(),
});
export type DashboardStats = z.output<typeof dashboardStats>;

export const cancelOrderBody = z.object({ reason: z.string().trim().min(1).max(5000) });

export const cancelled = z.object({
  success: z.literal(true),
  cancelledOrderCount: z.int(),
  errorMessage: z.string().nullable(),
});

export const deleteOrdersBody = z.object({ ids: z.array(guid).min(1).max(200) });

export const deleted = z.object({ deletedCount: z.int(), errors: z.array(z.string()) });
