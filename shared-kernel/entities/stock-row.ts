import { z } from 'zod';
import { count, guid } from '#fields/body-fields.ts';
import { MAX_UNITS, type StockLevel } from '#values/stock-units.ts';

const units = count.max(MAX_UNITS);

/** A stock row in the body of a variant. `stock` counts only when the row is new; what is left out stays as it is. */
export const givenStockRow = z.object({
  warehouseId: guid,
  stock: units.optional(),
  trackStock: z.boolean().optional(),
  reorderPoint: units.nullable().optional(),
  reorderQuantity: units.nullable().optional(),
});

export const stockRowResponse = (warehouseId: string, level: StockLevel) => ({
  warehouseId,
  stock: level.stock,
  reservedStock: level.reserved,
  availableStock: Math.max(0, level.stock - level.reserved),
  trackStock: level.trackStock,
  reorderPoint: level.reorderPoint,
  reorderQuantity: level.reorderQuantity,
});

export const stockRowSchema = z.object({
  warehouseId: z.string(),
  stock: z.int(),
  reservedStock: z.int(),
  availableStock: z.int(),
  trackStock: z.boolean(),
  reorderPoint: z.int().nullable(),
  reorderQuantity: z.int().nullable(),
});
