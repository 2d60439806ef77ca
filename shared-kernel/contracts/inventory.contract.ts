import { z } from 'zod';
import { MAX_UNITS } from '#values/stock-units.ts';
import { count, guid, name } from '#fields/body-fields.ts';

const units = count.max(MAX_UNITS);

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
