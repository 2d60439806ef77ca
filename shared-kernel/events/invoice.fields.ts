import { z } from 'zod';
import { orderStatuses } from '#values/order-transitions.ts';
import {
  count,
  currencyCode,
  day,
  decimalText,
  guid,
  instant,
  minor,
  percent,
  quantity,
  text,
} from './fields.ts';
import { takenDiscount } from './pricing.fields.ts';

/** What names an invoice in every event that follows its creation. */
export const invoiceName = { invoiceNumber: text, businessDay: day };

/** How risky a provider takes a payment to be, from 0 to 100, and who says so. */
export const risk = z.object({ score: z.number(), source: text });

/** The same figures in the invoice's (presentment) currency and in the store's; equal where there is only one. */
export const amounts = z.object({
  subTotal: minor,
  discount: minor,
  shipping: minor,
  tax: minor,
  total: minor,
});
export type Amounts = z.output<typeof amounts>;

/** What a line of an order says of money: in the invoice's currency except where it says otherwise. */
const orderLineAmounts = {
  unitPrice: minor,
  lineTotal: minor,
  discount: minor,
  tax: minor,
  taxRate: percent,
  isTaxable: z.boolean(),
  /** Cost of one unit, store currency. */
  costInStoreCurrency: minor,
  /** The same in the invoice's currency; left out where that is the store's. */
  cost: minor.exactOptional(),
  lineTotalInStoreCurrency: minor,
};

/** An add-on that was sold with a line, in the line's quantity (docs/rules/basket.md#add-ons). */
const orderAddon = z.object({
  id: guid,
  basketLineId: guid,
  optionId: guid,
  valueId: guid,
  sku: text,
  name: text,
  ...orderLineAmounts,
});
export type OrderAddon = z.output<typeof orderAddon>;

/** A line of an order, frozen. */
export const orderLine = z.object({
  id: guid,
  /** Null where it came of no basket, as what staff add. */
  basketLineId: guid.nullable(),
  /** Null of a line that staff wrote by hand, like the next. */
  productId: guid.nullable(),
  productRootId: guid.nullable(),
  sku: text,
  name: text,
  productRootName: text,
  selectedOptions: z.array(z.object({ optionName: text, valueName: text })),
  quantity,
  ...orderLineAmounts,
  isDigital: z.boolean(),
  /** Those that its product was in when it was sold; missing where there are none, and in what older releases wrote. */
  collectionIds: z.array(guid).exactOptional(),
  /** Missing where nothing was chosen. */
  addons: z.array(orderAddon).exactOptional(),
  /** Written by hand (docs/rules/manual-orders.md#lines-written-by-hand): no product, and nothing is in stock of it. */
  kind: z.literal('custom').exactOptional(),
  /** Of a line written by hand: whose rate it is taxed at. */
  taxGroupId: guid.nullable().exactOptional(),
  /** The edit that added it, by its number; missing of what was sold. */
  edit: count.exactOptional(),
});
export type OrderLine = z.output<typeof orderLine>;

export const orderStatus = z.enum(orderStatuses);
export type OrderStatus = z.output<typeof orderStatus>;

/** One order per shipping group (docs/rules/orders.md#orders). */
export const orderContent = z.object({
  orderId: guid,
  warehouseId: guid.nullable(),
  shippingOptionId: guid.nullable(),
  shippingOptionKey: text.nullable(),
  shippingServiceName: text.nullable(),
  shippingCost: minor,
  shippingCostInStoreCurrency: minor,
  requestedDeliveryDate: z.string().nullable(),
  /** The buyer was promised that date. */
  isDeliveryDateGuaranteed: z.literal(true).exactOptional(),
  /** What the buyer was told of how long it takes; orders of older releases do not say it. */
  deliveryDescription: text.exactOptional(),
  lines: z.array(orderLine),
});
export type OrderContent = z.output<typeof orderContent>;

/** What an edit computes a discount again by; without any of it an amount stays (docs/rules/invoice-editing.md). */
const soldDiscount = z.object({
  /** Of the order, or of its shipping: a percentage of what earlier ones have left. */
  percent: percent.exactOptional(),
  /** The percentage is one of the amount with tax. */
  isAfterTax: z.literal(true).exactOptional(),
  /** Of a reward: the units of its line that it was taken off. */
  units: count.exactOptional(),
});
export type SoldDiscount = z.output<typeof soldDiscount>;

/** The pages of the storefront that a payer is sent to at the end. */
export const paymentPages = z.object({ returnUrl: text, cancelUrl: text });
export type PaymentPages = z.output<typeof paymentPages>;

export const sourceTypes = ['web', 'draft', 'ucp', 'api', 'pos'] as const;
export const sourceType = z.enum(sourceTypes);
export type SourceType = z.output<typeof sourceType>;

/**
 * Where a sale came from, in events that change it later; missing of the storefront's, and in what older releases
 * wrote.
 */
export const laterSourceType = sourceType.exclude(['web']).exactOptional();

/** Everything of an invoice that is not personal, frozen when it is placed. */
export const invoiceContent = z.object({
  basketId: guid.nullable(),
  /** Of the e-mail address that the order was placed with; null where it was placed without any. */
  customerId: guid.nullable(),
  /** The member who was signed in. */
  memberId: guid.exactOptional(),
  /** Of a signed-in customer with account terms: when it is due; null where they name no days. */
  accountTerms: z.object({ dueDate: instant.nullable() }).exactOptional(),
  /** It holds so much at one address that its goods are kept no longer without a payment. */
  holdEndsAt: instant.exactOptional(),
  channel: text,
  source: z.object({
    type: sourceType,
    displayName: text,
    sourceName: text.nullable(),
    sourceId: text.nullable(),
    sessionId: text.nullable(),
  }),
  storeCurrency: currencyCode,
  currency: currencyCode,
  /** Store units per unit of the invoice's currency, locked for ever; "1" where there is only one currency. */
  rate: decimalText,
  /** The rate by which its figures were shown (units of its currency for one of the store's), whose, and of when. */
  quote: z.object({ displayRate: decimalText, source: text, quotedAt: instant }).exactOptional(),
  amounts,
  amountsInStoreCurrency: amounts,
  /** One for each order that holds what it is taken from; what is of no line stands with the first order. */
  discounts: z.array(
    takenDiscount.extend({
      /** Missing in what was frozen before discounts were shared out. */
      orderId: guid.exactOptional(),
      amountInStoreCurrency: minor.exactOptional(),
      sold: soldDiscount.exactOptional(),
      /** The edit that gave it, by its number. */
      edit: count.exactOptional(),
      /** Given by hand: it follows no rule, and `discountId` is its own. */
      isManual: z.literal(true).exactOptional(),
      reason: text.nullable().exactOptional(),
      isVisibleToCustomer: z.boolean().exactOptional(),
      /** The edit in whose name its use was claimed. */
      claimedBy: guid.exactOptional(),
    }),
  ),
  /** All tax was taken off, and stays off. */
  isTaxRemoved: z.literal(true).exactOptional(),
  shippingTax: minor,
  effectiveShippingTaxRate: percent.nullable(),
  itemCount: count,
  orders: z.array(orderContent),
  termsAcceptedAt: instant.nullable(),
  /** Those that were named when it was placed. */
  pages: paymentPages.exactOptional(),
  createdAt: instant,
  /** The day in the reporting time zone on which the invoice was created: where its figures belong. */
  businessDay: day,
});
export type InvoiceContent = z.output<typeof invoiceContent>;
export type FrozenDiscount = InvoiceContent['discounts'][number];

/** How much of an invoice is paid, after the event that carries it (docs/rules/orders.md#balance). Invoice currency. */
export const invoiceBalance = z.object({
  amountPaid: minor,
  amountRefunded: minor,
  balanceDue: minor,
  creditDue: minor,
  /** What refunds gave back beyond the credit that was due at their moment. */
  givenBack: minor,
  paymentStatus: z.enum([
    'Unpaid',
    'AwaitingPayment',
    'PartiallyPaid',
    'Paid',
    'PartiallyRefunded',
    'Refunded',
  ]),
});

/** What a sale brings of one product, in the store's currency. */
const soldProduct = z.object({
  productId: guid,
  productRootId: guid,
  collectionIds: z.array(guid).exactOptional(),
  /** Pieces. */
  items: count,
  grossSales: minor,
  discounts: minor,
  /** After discounts, with tax. */
  sales: minor,
});
export type SoldProduct = z.output<typeof soldProduct>;

/** What a sale brings to its business day, and under what it is counted, in the store's currency. */
export const closedSale = z.object({
  amounts,
  cost: minor,
  items: count,
  /** What was given back of it. */
  returns: minor,
  sourceType: laterSourceType,
  /** What its customer used of discounts, each once; missing in what releases wrote that counted these for good. */
  uses: z
    .object({
      customerId: guid.nullable(),
      discounts: z.array(z.object({ discountId: guid, amount: minor })),
    })
    .exactOptional(),
  /** Where it was billed to when it was confirmed; missing where that is not known, as in what older releases wrote. */
  countryCode: text.exactOptional(),
  /** Missing in what older releases wrote. */
  products: z.array(soldProduct).exactOptional(),
});
export type ClosedSale = z.output<typeof closedSale>;
