import { z } from 'zod';
import { addonChoices } from './basket.contract.ts';
import { savedMethod } from './saved-methods.contract.ts';
import { suggestedProduct } from './upsells.contract.ts';

/** What is offered after a purchase (docs/rules/post-purchase.md). */

const guid = z.guid().toLowerCase();

/** So long a key is at most: it is the browser's, made for each attempt. */
const MAX_KEY = 200;

const wanted = { productId: guid, quantity: z.int().positive().default(1), addons: addonChoices };

export const previewAdditionBody = z.object(wanted);

export const addAfterwardsBody = z.object({
  ...wanted,
  upsellRuleId: guid,
  savedPaymentMethodId: guid,
  idempotencyKey: z.string().trim().min(1).max(MAX_KEY),
});

/** `originalInvoiceTotal` in the currency of the invoice. */
export const postPurchaseResponse = z.object({
  invoiceId: z.string(),
  invoiceNumber: z.string(),
  suggestions: z.array(
    z.object({
      upsellRuleId: z.string(),
      heading: z.string(),
      message: z.string().nullable(),
      displayStyles: z.record(z.string(), z.unknown()).nullable(),
      products: z.array(suggestedProduct),
    }),
  ),
  expiresUtc: z.string(),
  timeRemainingSeconds: z.int(),
  windowExpired: z.boolean(),
  originalInvoiceTotal: z.number(),
  formattedOriginalInvoiceTotal: z.string(),
  currencyCode: z.string(),
  savedPaymentMethod: savedMethod.nullable(),
});

const money = z.number();
const text = z.string();

/** What the invoice would cost more, in its own currency where nothing else is said. */
export const additionPreviewResponse = z.object({
  productId: text,
  productName: text,
  quantity: z.int(),
  unitPrice: money,
  formattedUnitPrice: text,
  unitPriceInStoreCurrency: money,
  formattedUnitPriceInStoreCurrency: text,
  subTotal: money,
  formattedSubTotal: text,
  subTotalInStoreCurrency: money,
  formattedSubTotalInStoreCurrency: text,
  taxAmount: money,
  formattedTaxAmount: text,
  /** Percent. */
  taxRate: z.number(),
  shippingDelta: money,
  formattedShippingDelta: text,
  total: money,
  formattedTotal: text,
  totalInStoreCurrency: money,
  formattedTotalInStoreCurrency: text,
  currencyCode: text,
  currencySymbol: text,
  priceIncludesTax: z.boolean(),
  taxLabel: text.nullable(),
  isAvailable: z.boolean(),
  unavailableReason: text.nullable(),
});
export type AdditionPreviewResponse = z.output<typeof additionPreviewResponse>;

export const addedAfterwardsResponse = z.object({
  success: z.literal(true),
  errorMessage: z.null(),
  paymentTransactionId: text,
  amountCharged: money,
  formattedAmountCharged: text,
  addedLineItemId: text,
  invoiceId: text,
  invoiceTotal: money,
});
