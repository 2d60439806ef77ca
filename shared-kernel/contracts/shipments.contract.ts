import { z } from 'zod';
import { isWebAddress } from '#values/web-address.ts';
import { enumOf, guid, instant, notes, optionalText } from '#fields/body-fields.ts';
import { orderStatuses } from './orders.contract.ts';
import { shipment } from './shipment-fields.ts';

/** Shipments, as staff make and read them (docs/rules/shipments.md). */

export const orderParams = z.object({ orderId: guid });

/** Null, or left out: as it is. */
const tracking = {
  carrier: optionalText.optional(),
  trackingNumber: optionalText.optional(),
  trackingUrl: optionalText
    .refine((text) => text === null || isWebAddress(text), 'must be an http or https address')
    .optional(),
};

const units = z.int('must be a whole number').min(1, 'must be at least 1').max(1_000_000_000);
const MOST_LINES = 1000;
const someLines = `must be 1 to ${MOST_LINES} lines`;

/** By line, or as a list. */
const lineItems = z.union(
  [
    z
      .array(z.object({ lineItemId: guid, quantity: units }))
      .transform((items) => items.map(({ lineItemId, quantity }) => ({ lineId: lineItemId, quantity }))),
    z
      .record(guid, units)
      .transform((items) => Object.entries(items).map(([lineId, quantity]) => ({ lineId, quantity }))),
  ],
  'must be quantities by line, or a list of { lineItemId, quantity }',
);

export const createShipmentBody = z.object({
  lineItems: lineItems.refine(({ length }) => length > 0 && length <= MOST_LINES, someLines),
  ...tracking,
});

export const changeShipmentBody = z.object({ ...tracking, actualDeliveryDate: instant.nullish() });

export const shipmentStatusBody = z.object({
  newStatus: enumOf({ Preparing: 0, Shipped: 10, Delivered: 20, Cancelled: 30 }),
  ...tracking,
});

export const orderStatusBody = z.object({ status: enumOf(orderStatuses), reason: notes.optional() });

/** An order once it has moved. */
export const movedOrder = z.object({
  id: z.string(),
  invoiceId: z.string(),
  status: z.string(),
  shipments: z.array(shipment),
});

const summaryLine = z.object({
  lineItemId: z.string(),
  sku: z.string(),
  name: z.string(),
  isDigital: z.boolean(),
  orderedQuantity: z.int(),
  /** In shipments that count. */
  packedQuantity: z.int(),
  shippedQuantity: z.int(),
  /** Still to be packed. */
  remainingQuantity: z.int(),
});

const summaryOrder = z.object({
  id: z.string(),
  status: z.string(),
  warehouseId: z.string().nullable(),
  shippingServiceName: z.string().nullable(),
  requestedDeliveryDate: z.string().nullable(),
  remainingQuantity: z.int(),
  lineItems: z.array(summaryLine),
  shipments: z.array(shipment),
});

export const fulfillmentSummary = z.object({
  invoiceId: z.string(),
  invoiceNumber: z.string(),
  fulfillmentStatus: z.string(),
  deliveryStatus: z.string().nullable(),
  canFulfill: z.boolean(),
  totalQuantity: z.int(),
  packedQuantity: z.int(),
  shippedQuantity: z.int(),
  remainingQuantity: z.int(),
  orders: z.array(summaryOrder),
});
export type FulfillmentSummary = z.output<typeof fulfillmentSummary>;
