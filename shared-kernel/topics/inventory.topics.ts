import { sampleStock } from './samples.ts';
import { declareTopics } from './topic.ts';

export const inventoryTopics = declareTopics('Inventory', {
  'inventory.adjusted': {
    displayName: 'Inventory Adjusted',
    description: 'The stock of a product is set or corrected.',
    sample: { ...sampleStock, previousStock: 10, newStock: 12, reason: 'admin', change: 2, sku: 'MUG-BLUE' },
  },
  'inventory.low_stock': {
    displayName: 'Low Stock Alert',
    description: 'Stock falls to its reorder point.',
    sample: { ...sampleStock, currentStock: 3, threshold: 5 },
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
  },
});
