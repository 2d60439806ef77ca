import { z } from 'zod';
import { shipmentStatuses } from '#values/shipment-transitions.ts';
import { basketFields } from './basket.contract.ts';

/** A shipment as staff read it (docs/rules/shipments.md). */
export const shipment = z.object({
  id: z.string(),
  orderId: z.string(),
  warehouseId: z.string().nullable(),
  lineItems: z.array(
    z.object({
      lineItemId: z.string(),
      sku: z.string().nullable(),
      name: z.string().nullable(),
      quantity: z.int(),
    }),
  ),
  address: basketFields.shape.shippingAddress,
  carrier: z.string().nullable(),
  trackingNumber: z.string().nullable(),
  trackingUrl: z.string().nullable(),
  status: z.enum(shipmentStatuses),
  shippedDate: z.string().nullable(),
  requestedDeliveryDate: z.string().nullable(),
  isDeliveryDateGuaranteed: z.boolean(),
  actualDeliveryDate: z.string().nullable(),
  dateCreated: z.string(),
  extendedData: z.record(z.string(), z.string()),
});
export type ShipmentResponse = z.output<typeof shipment>;
