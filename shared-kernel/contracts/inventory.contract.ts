import { z } from 'zod';
import type { StockLevel } from '#reference/reference.ts';
import { MAX_UNITS } from '#values/stock-units.ts';
import { count, guid, name } from './management.contract.ts';

const units = count.max(MAX_UNITS);

/** A stock row in the body of a variant. `stock` counts only when the row is new; what is left out stays as it is. */
export const givenStockRow = z.object({
  warehouseId: guid,
  stock: units.optional(),
  trackStock: z.boolean().optional(),
  reorderPoint: units.nullable().optional(),
  reorderQuantity: units.nullable().optional(),
});

const difference = z.int().min(-MAX_UNITS).max(MAX_UNITS);

/** One of two fields, and not both; both are missing only where `mayLack` says so. */
const oneOf =
  <Body extends object>(
    [first, second]: readonly [keyof Body & string, keyof Body & string],
    mayLack: (body: Body) => boolean = () => false,
  ) =>
  (body: Body, issues: z.RefinementCtx<Body>): void => {
    const given = [first, second].filter((field) => body[field as keyof Body] !== undefined).length;
    if (given === 1 || (given === 0 && mayLack(body))) return;
    const message = `exactly one of ${first} and ${second} must be given`;
    issues.addIssue({ code: 'custom', path: [first], message, input: body });
  };

const adjustedStock = z.object({
  warehouseId: guid,
  stock: units.optional(),
  adjustBy: difference.optional(),
  reorderPoint: units.nullable().optional(),
  reason: name,
});
export type AdjustedStock = z.output<typeof adjustedStock>;

/** POST …/stock: the stock or what to change it by, and from which stock on it is low. */
export const adjustStock = adjustedStock.superRefine(
  oneOf<AdjustedStock>(['stock', 'adjustBy'], ({ reorderPoint }) => reorderPoint !== undefined),
);

const adjustedInventory = z.object({
  productId: guid,
  warehouseId: guid,
  quantity: difference.optional(),
  newStock: units.optional(),
  reason: name,
});

/** POST /inventory/adjust: what to change the stock of a variant by (`quantity`), or what it is now. */
export const adjustInventory = adjustedInventory.superRefine(
  oneOf<z.output<typeof adjustedInventory>>(['quantity', 'newStock']),
);

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
