import { z } from 'zod';
import { fulfillmentStatuses } from '#values/order-transitions.ts';
import { shipmentStatuses } from '#values/shipment-transitions.ts';
import { downloadLinkResponse } from './downloads.contract.ts';
import { basketFields } from './basket.contract.ts';

const totals = z.object({
  currencyCode: z.string(),
  currencySymbol: z.string(),
  subTotal: z.number(),
  formattedSubTotal: z.string(),
  discount: z.number(),
  formattedDiscount: z.string(),
  shipping: z.number(),
  formattedShipping: z.string(),
  tax: z.number(),
  formattedTax: z.string(),
  total: z.number(),
  formattedTotal: z.string(),
});

const line = z.object({
  id: z.string(),
  /** Of an add-on: the line of its product. */
  parentLineItemId: z.string().nullable(),
  lineItemType: z.enum(['Product', 'Addon', 'Custom']),
  sku: z.string(),
  name: z.string(),
  productRootName: z.string(),
  selectedOptions: z.array(z.object({ optionName: z.string(), valueName: z.string() })),
  quantity: z.int(),
  isDigital: z.boolean(),
  unitPrice: z.number(),
  formattedUnitPrice: z.string(),
  lineTotal: z.number(),
  formattedLineTotal: z.string(),
  discount: z.number(),
  tax: z.number(),
  taxRate: z.number(),
});

/** An order as its buyer is shown it: what is not said to be in the store's currency is in the invoice's. */
export const confirmationResponse = z.object({
  success: z.literal(true),
  message: z.string(),
  invoiceId: z.string(),
  invoiceNumber: z.string(),
  dateCreated: z.string(),
  email: z.string().nullable(),
  billingAddress: basketFields.shape.billingAddress,
  shippingAddress: basketFields.shape.shippingAddress,
  lines: z.array(line),
  /** In the store's currency. */
  totals,
  displayTotals: totals,
  shipments: z.array(
    z.object({
      shippingMethodName: z.string().nullable(),
      deliveryEstimate: z.string().nullable(),
      cost: z.number(),
      formattedCost: z.string(),
    }),
  ),
  /** What is packed or on its way, and when it arrived. */
  parcels: z.array(
    z.object({
      id: z.string(),
      status: z.enum(shipmentStatuses),
      carrier: z.string().nullable(),
      trackingNumber: z.string().nullable(),
      trackingUrl: z.string().nullable(),
      shippedDate: z.string().nullable(),
      actualDeliveryDate: z.string().nullable(),
      lineItems: z.array(
        z.object({ lineItemId: z.string(), name: z.string().nullable(), quantity: z.int() }),
      ),
    }),
  ),
  paymentMethod: z.string().nullable(),
  paymentStatus: z.string(),
  amountPaid: z.number(),
  amountRefunded: z.number(),
  balanceDue: z.number(),
  /** Pending: its provider has still to say that the money is on its way. */
  refunds: z.array(
    z.object({
      amount: z.number(),
      formattedAmount: z.string(),
      status: z.enum(['Pending', 'Refunded']),
      dateRefunded: z.string().nullable(),
    }),
  ),
  isCancelled: z.boolean(),
  isRefunded: z.boolean(),
  /** What staff have written for the buyer, oldest first. */
  notes: z.array(z.object({ date: z.string(), text: z.string() })),
  /** To a guest, what may be downloaded at once: the rest is in the mail. A member's account has all. */
  downloads: z.array(downloadLinkResponse),
});
export type ConfirmationResponse = z.output<typeof confirmationResponse>;

/** Of an order link; a wrong key is none, whatever it looks like. */
export const orderLinkQuery = z.object({ key: z.string().catch('').default('') });

/** An order as whoever has its link is shown it: nothing in it is personal (docs/rules/orders.md#order-link). */
export const linkedOrderResponse = confirmationResponse
  .pick({
    success: true,
    message: true,
    invoiceId: true,
    invoiceNumber: true,
    dateCreated: true,
    lines: true,
    totals: true,
    displayTotals: true,
    shipments: true,
    parcels: true,
    paymentStatus: true,
    isCancelled: true,
    isRefunded: true,
  })
  .extend({ fulfillmentStatus: z.enum(fulfillmentStatuses) });
export type LinkedOrderResponse = z.output<typeof linkedOrderResponse>;
