import { z } from 'zod';
import type { ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import type { StockLevel } from '#reference/reference.ts';
import { toDecimal } from '#values/money.ts';
import { stockRowAnswer, stockRowSchema } from './inventory.contract.ts';
import { answerDates } from './management.contract.ts';

/** A variant in a warehouse; undefined when the row has not been opened yet. */
export type LevelOf = (productId: string, warehouseId: string) => StockLevel | undefined;

const unopened = (trackStock: boolean): StockLevel => ({
  stock: 0,
  reserved: 0,
  trackStock,
  reorderPoint: null,
  reorderQuantity: null,
});

/** A variant as the management API shows it (docs/rules/catalogue.md#products-and-variants). */
export const variantAnswer = (
  { isDefault, stockRows, price, costOfGoods, previousPrice, ...variant }: ProductVariant,
  currency: string,
  levelOf: LevelOf,
) => ({
  ...variant,
  default: isDefault,
  price: toDecimal(price, currency),
  costOfGoods: toDecimal(costOfGoods, currency),
  previousPrice: previousPrice === null ? null : toDecimal(previousPrice, currency),
  isStockTracked: stockRows.some(({ trackStock }) => trackStock),
  stock: stockRows.map(({ warehouseId, trackStock }) =>
    stockRowAnswer(warehouseId, levelOf(variant.id, warehouseId) ?? unopened(trackStock)),
  ),
});

export interface ProductToShow {
  readonly id: string;
  readonly root: ProductRoot;
  readonly variants: readonly ProductVariant[];
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

/** A product as POST, PUT and GET answer it. */
export const productAnswer = (
  { id, root, variants, dateCreated, dateUpdated }: ProductToShow,
  currency: string,
  levelOf: LevelOf,
) => ({
  id,
  ...root,
  options: root.options.map((option) => ({
    ...option,
    values: option.values.map((value) => ({
      ...value,
      priceAdjustment: toDecimal(value.priceAdjustment, currency),
      costAdjustment: toDecimal(value.costAdjustment, currency),
    })),
  })),
  variants: variants.map((variant) => variantAnswer(variant, currency, levelOf)),
  dateCreated,
  dateUpdated,
});

export const variantSchema = z.looseObject({
  id: z.string(),
  sku: z.string(),
  name: z.string(),
  default: z.boolean(),
  price: z.number(),
  costOfGoods: z.number(),
  onSale: z.boolean(),
  previousPrice: z.number().nullable(),
  url: z.string(),
  variantOptionsKey: z.string().nullable(),
  isStockTracked: z.boolean(),
  stock: z.array(stockRowSchema),
});

export const productSchema = z.looseObject({
  ...answerDates,
  rootName: z.string(),
  rootUrl: z.string(),
  productTypeId: z.string(),
  collectionIds: z.array(z.string()),
  tags: z.array(z.string()),
  variants: z.array(variantSchema),
});
