import { z } from 'zod';
import { asOf } from './as-of.contract.ts';
import { calendarDay, soldAt } from './reporting.contract.ts';

/** Exports (docs/rules/exports.md): parameters stand in the query or in the body, which wins. */

const exportFormats = ['json', 'csv', 'ndjson'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const exportFields = z.object({
  format: z.enum(exportFormats, 'must be json, csv or ndjson').optional(),
});
export type ExportFields = z.output<typeof exportFields>;

const flag = z
  .union([z.boolean(), z.enum(['true', 'false'])], 'must be true or false')
  .transform((given) => given === true || given === 'true');

export const orderExportFields = exportFields.extend({
  /** Days of the shop, both included. */
  fromDate: calendarDay.optional(),
  toDate: calendarDay.optional(),
  /** Sales that were cancelled, too. */
  includeCancelled: flag.optional(),
  sourceType: soldAt.optional(),
  asOf,
});

const amount = z.number();

/** A sale, in the order of its columns. `orderNumber` and `customerName` are other names of the same. */
export const orderExportItem = z.object({
  invoiceNumber: z.string(),
  invoiceDate: z.string(),
  paymentStatus: z.string(),
  billingName: z.string().nullable(),
  subTotal: amount,
  tax: amount,
  shipping: amount,
  total: amount,
  currencyCode: z.string(),
  storeCurrencyCode: z.string(),
  subTotalInStoreCurrency: amount,
  taxInStoreCurrency: amount,
  shippingInStoreCurrency: amount,
  totalInStoreCurrency: amount,
  orderNumber: z.string(),
  customerName: z.string().nullable(),
  customerEmail: z.string().nullable(),
  channel: z.string(),
  sourceType: z.string(),
  discount: amount,
  lineItems: z.array(
    z.object({
      name: z.string(),
      sku: z.string(),
      quantity: z.int(),
      unitPrice: amount,
      lineTotal: amount,
      type: z.enum(['Product', 'Addon', 'Custom']),
    }),
  ),
});
export type OrderExportItem = z.output<typeof orderExportItem>;

/** A customer, in the order of its columns. Personal ones are null once they are forgotten. */
export const customerExportItem = z.object({
  customerId: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  /** Where the last order was billed to. */
  countryCode: z.string().nullable(),
  tags: z.array(z.string()),
  acceptsMarketing: z.boolean(),
  dateCreated: z.string(),
  orderCount: z.int(),
  totalSpend: amount,
  /** Null without an order. */
  averageOrderValue: amount.nullable(),
  currencyCode: z.string(),
  firstOrderDate: z.string().nullable(),
  lastOrderDate: z.string().nullable(),
});
export type CustomerExportItem = z.output<typeof customerExportItem>;
