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
  const data = { productId, warehouseId, ...counts, reason, change, sku };
  return { entityType: 'Product', entityId: productId, data };
};

export const inventoryTopics = declareTopics('Inventory', {
  'inventory.adjusted': {
    displayName: 'Inventory Adjusted',
    description: 'The stock of a product is set or corrected.',
    sample: { ...sampleStock, previousStock: 10, newStock: 12, reason: 'admin', change: 2, sku: 'MUG-BLUE' },
    on: {
      StockAdjusted: ({ data: { adjustedBy, reason, ...row } }) => adjusted(row, adjustedBy, reason),
      AllocationReversed: ({ data: { quantity, ...row } }) => adjusted(row, quantity, 'shipment_reversal'),
    },
  },
  'inventory.low_stock': {
    displayName: 'Low Stock Alert',
    description: 'Stock falls to its reorder point.',
    sample: { ...sampleStock, currentStock: 3, threshold: 5 },
    on: {
      StockRanLow: ({ data: { productId, warehouseId, stock: currentStock, threshold } }) => ({
        entityType: 'Product',
        entityId: productId,
        data: { productId, warehouseId, currentStock, threshold },
      }),
    },
  },
  'inventory.reserved': {
    displayName: 'Stock Reserved',
    description: 'Stock is set aside for an order that is being placed.',
    sample: { ...sampleStock, quantity: 2, remainingAvailable: 8 },
    on: {
      // Only what is set aside on top: a placement that takes over what an older one held says nothing.
      StockReserved: ({ data: { productId, warehouseId, change, stock, reserved } }) =>
        change <= 0
          ? null
          : {
              entityType: 'Product',
              entityId: productId,
              data: { productId, warehouseId, quantity: change, remainingAvailable: stock - reserved },
            },
    },
  },
  'inventory.allocated': {
    displayName: 'Stock Allocated',
    description: 'Stock leaves the warehouse with a shipment.',
    sample: { ...sampleStock, quantity: 2, remainingStock: 8 },
    on: {
      StockAllocated: ({ data: { productId, warehouseId, quantity, stock: remainingStock } }) =>
        quantity === 0
          ? null
          : {
              entityType: 'Product',
              entityId: productId,
              data: { productId, warehouseId, quantity, remainingStock },
            },
    },
  },
});
