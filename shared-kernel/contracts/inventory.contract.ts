import { z } from 'zod';
import type { StockLevel } from '#reference/reference.ts';
import { MAX_UNITS } from '#values/stock-units.ts';
import { count, guid, name } from './management.contract.ts';

const units = count.max(MAX_UNITS);

/** A stock row in the body of a variant; it counts only when the row is new. */
export const newStockRow = z.object({
  warehouseId: guid,
  stock: units,
  trackStock: z.boolean().default(true),
  reorderPoint: units.nullable().default(null),
  reorderQuantity: units.nullable().default(null),
});

const warehouseAndReason = { warehouseId: guid, reason: name };

/** POST …/stock: either the stock or what to change it by. */
export const adjustStock = z.union(
  [
    z.object({ ...warehouseAndReason, stock: units, adjustBy: z.never().optional() }),
    z.object({
      ...warehouseAndReason,
      adjustBy: z.int().min(-MAX_UNITS).max(MAX_UNITS),
      stock: z.never().optional(),
    }),
  ],
  `warehouseId, reason and one of stock and adjustBy were expected, as whole numbers up to ${MAX_UNITS}`,
);
export type AdjustStockBody = z.output<typeof adjustStock>;

export const stockRowAnswer = (warehouseId: string, level: StockLevel) => ({
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
