import { z } from 'zod';
import { addonChoices } from './basket.contract.ts';
import { writtenItem } from './custom-item.contract.ts';
import { enumOf, guid, longText, optionalGuid, optionalText } from '#fields/body-fields.ts';
import { orderLine } from './orders.contract.ts';

/** Editing of invoices (docs/rules/invoice-editing.md). Amounts are in the invoice's currency. */

const quantity = z.int().min(1).max(9_999_999);
const amount = z.number();
const shouldReturnToStock = z.boolean().default(true);
const discountType = enumOf({ FixedAmount: 0, Percentage: 1, Free: 2 });

/** A percentage, or an amount: of a line, of each unit. Not needed where it is free. */
const handDiscount = {
  type: discountType,
  value: amount.min(0).default(0),
  displayName: optionalText.default(null),
  reason: optionalText.default(null),
  isVisibleToCustomer: z.boolean().default(true),
};

const addedProduct = z.object({
  productId: guid,
  quantity: quantity.default(1),
  warehouseId: optionalGuid.default(null),
  shippingOptionId: optionalGuid.default(null),
  selectionKey: optionalText.default(null),
  addons: addonChoices,
});

const lines = z.object({ id: guid, shouldReturnToStock });

const version = z.int().min(0).nullish();

/** PUT /orders/{id}/edit and its preview. At most as much at once as a page shows. */
export const invoiceEditBody = z.object({
  version,
  lineItems: z
    .array(lines.extend({ quantity: quantity.optional(), discount: z.object(handDiscount).nullish() }))
    .max(500)
    .default([]),
  removedLineItems: z.array(lines).max(500).default([]),
  removedOrderDiscounts: z.array(guid).max(500).default([]),
  customItems: z
    .array(writtenItem({ amount: amount.min(0), adjustment: amount }))
    .max(200)
    .default([]),
  productsToAdd: z.array(addedProduct).max(200).default([]),
  orderDiscounts: z.array(z.object(handDiscount)).max(50).default([]),
  orderDiscountCodes: z.array(z.string().trim().min(1).max(250)).max(20).default([]),
  orderShippingUpdates: z
    .array(z.object({ orderId: guid, shippingCost: amount.min(0) }))
    .max(200)
    .default([]),
  editReason: longText.default(null),
  shouldRemoveTax: z.boolean().default(false),
});
export type InvoiceEditBody = z.output<typeof invoiceEditBody>;

const oneDiscount = { ...handDiscount, lineItemId: optionalGuid.default(null) };

/** POST /orders/{id}/apply-discount: on a line, or without one on the order. */
export const applyOneDiscountBody = z.object({ version, ...oneDiscount });
export type ApplyOneDiscountBody = z.output<typeof applyOneDiscountBody>;

/** POST /orders/preview-discount. */
export const previewOneDiscountBody = z.object({ invoiceId: guid, ...oneDiscount });

const figures = {
  subTotal: amount,
  discountTotal: amount,
  adjustedSubTotal: amount,
  shippingTotal: amount,
  tax: amount,
  total: amount,
};

const editedLine = orderLine.extend({ orderId: z.string(), canReduceTo: z.int() });

const editableOrder = z.object({
  id: z.string(),
  status: z.string(),
  warehouseId: z.string().nullable(),
  shippingOptionId: z.string().nullable(),
  selectionKey: z.string().nullable(),
  shippingServiceName: z.string().nullable(),
  shippingCost: amount,
  lineItems: z.array(editedLine),
});

const discount = z.object({
  id: z.string(),
  orderId: z.string().nullable(),
  lineItemId: z.string().nullable(),
  discountId: z.string(),
  name: z.string(),
  code: z.string().nullable(),
  category: z.string(),
  amount,
  isManual: z.boolean(),
  reason: z.string().nullable(),
  isVisibleToCustomer: z.boolean(),
});

/** GET /orders/{id}/edit. */
export const editableInvoice = z.object({
  id: z.string(),
  version: z.int(),
  invoiceNumber: z.string(),
  fulfillmentStatus: z.string(),
  canEdit: z.boolean(),
  cannotEditReason: z.string().nullable(),
  currencyCode: z.string(),
  currencySymbol: z.string(),
  orders: z.array(editableOrder),
  /** Of lines, of the order and of shipping. */
  orderDiscounts: z.array(discount),
  shippingCountryCode: z.string().nullable(),
  shippingRegion: z.string().nullable(),
  isTaxRemoved: z.boolean(),
  ...figures,
  paymentStatus: z.string(),
  balanceDue: amount,
  creditDue: amount,
});
export type EditableInvoice = z.output<typeof editableInvoice>;

export const editPreview = z.object({
  currencyCode: z.string(),
  currencySymbol: z.string(),
  storeCurrencyCode: z.string(),
  storeCurrencySymbol: z.string(),
  pricingExchangeRate: z.number(),
  ...figures,
  totalInStoreCurrency: amount,
  lineItems: z.array(editedLine),
  warnings: z.array(z.string()),
});
export type EditPreview = z.output<typeof editPreview>;

export const editResponse = z.object({
  isSuccessful: z.literal(true),
  errorMessage: z.null(),
  warnings: z.array(z.string()),
  invoice: editableInvoice,
});
