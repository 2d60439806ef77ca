import { z } from 'zod';
import { count, guid, text } from './data-fields.ts';
import { sampleStock } from './samples.ts';
import { declareTopics } from './topic.ts';

interface Row {
  readonly productId: string;
  readonly warehouseId: string;
  readonly sku: string;
  readonly stock: number;
}

const adjusted = ({ productId, warehouseId, sku, stock }: Row, change: number, reason: string) => {
  const counts = { previousStock: stock - change, newStock: stock };
  return { entityId: productId, data: { productId, warehouseId, ...counts, reason, change, sku } };
};

const entityType = 'Product';
const where = { productId: guid, warehouseId: guid };

export const inventoryTopics = declareTopics('Inventory', {
  'inventory.adjusted': {
    displayName: 'Inventory Adjusted',
    description:
      'The count of a stock row is written, for the `reason` given. Reservations and shipments are no such change, unless a shipment is undone.',
    entityType,
    schema: z.strictObject({
      ...{ ...where, previousStock: count, newStock: count, reason: text, change: z.int(), sku: text },
    }),
    sample: { ...sampleStock, previousStock: 10, newStock: 12, reason: 'admin', change: 2, sku: 'MUG-BLUE' },
    on: {
      StockRowOpened: ({ data: { reason, ...row } }) =>
        reason === undefined ? null : adjusted(row, row.stock, reason),
      StockAdjusted: ({ data: { adjustedBy, reason, ...row } }) => adjusted(row, adjustedBy, reason),
      // Nothing comes back of a shipment for which nothing was there.
      AllocationReversed: ({ data: { quantity, ...row } }) =>
        quantity === 0 ? null : adjusted(row, quantity, 'shipment_reversal'),
    },
  },
  'inventory.low_stock': {
    displayName: 'Low Stock Alert',
    description:
      'Stock comes down to its reorder point, or without one to the threshold of the shop: once on the way.',
    entityType,
    schema: z.strictObject({ ...where, currentStock: count, threshold: count }),
    sample: { ...sampleStock, currentStock: 3, threshold: 5 },
    on: {
      StockRanLow: ({ data: { productId, warehouseId, stock: currentStock, threshold } }) => ({
        entityId: productId,
        data: { productId, warehouseId, currentStock, threshold },
      }),
    },
  },
  'inventory.reserved': {
    displayName: 'Stock Reserved',
    description: 'An order that is placed or edited sets more units aside.',
    entityType,
    schema: z.strictObject({ ...where, quantity: count, remainingAvailable: count }),
    sample: { ...sampleStock, quantity: 2, remainingAvailable: 8 },
    on: {
      // Only what is set aside on top: a placement that takes over what an older one held says nothing.
      StockReserved: ({ data: { productId, warehouseId, change, stock, reserved } }) =>
        change <= 0
          ? null
          : {
              entityId: productId,
              data: { productId, warehouseId, quantity: change, remainingAvailable: stock - reserved },
            },
    },
  },
  'inventory.allocated': {
    displayName: 'Stock Allocated',
    description: 'Units leave the stock with a shipment.',
    entityType,
    schema: z.strictObject({ ...where, quantity: count, remainingStock: count }),
    sample: { ...sampleStock, quantity: 2, remainingStock: 8 },
    on: {
      StockAllocated: ({ data: { productId, warehouseId, quantity, stock: remainingStock } }) =>
        quantity === 0
          ? null
          : {
              entityId: productId,
              data: { productId, warehouseId, quantity, remainingStock },
            },
    },
  },
});
