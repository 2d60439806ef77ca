import { z } from 'zod';
import { shipmentStatuses } from '#values/shipment-transitions.ts';
import { day, guid, instant, quantity, text } from './fields.ts';

const shipmentName = { shipmentId: guid, orderId: guid };
export const shipmentStatus = z.enum(shipmentStatuses);

const tracking = {
  carrier: text.nullable(),
  trackingNumber: text.nullable(),
  trackingUrl: text.nullable(),
};

/** Units of a line of the order. */
const shipmentLine = z.object({ lineId: guid, quantity });
export type ShipmentLine = z.output<typeof shipmentLine>;

/** Goods on their way, in the stream of their invoice (docs/rules/shipments.md). */
export const shipmentShapes = {
  ShipmentCreated: {
    ...shipmentName,
    warehouseId: guid.nullable(),
    lines: z.array(shipmentLine),
    ...tracking,
    /** As a fulfilment provider calls it. */
    providerShipmentId: text.nullable(),
    by: text,
    createdAt: instant,
  },
  /** Tracking and delivery as they are now. */
  ShipmentChanged: {
    ...shipmentName,
    ...tracking,
    actualDeliveryDate: instant.nullable(),
    status: shipmentStatus,
    createdAt: instant,
    changedAt: instant,
  },
  ShipmentStatusChanged: {
    ...shipmentName,
    from: shipmentStatus,
    to: shipmentStatus,
    ...tracking,
    createdAt: instant,
    at: instant,
    /** The business day on which it happened. */
    day,
  },
  ShipmentDeleted: {
    ...shipmentName,
    /** Its units were back on the shelf before. */
    wasCancelled: z.boolean(),
    by: text,
    deletedAt: instant,
  },
  /** The stock has followed what was shipped, undone or given up; `isLast`: nothing is left for it to follow. */
  StockFollowed: { moveIds: z.array(text), isLast: z.boolean() },
};
