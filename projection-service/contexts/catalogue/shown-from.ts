import type { Reference, SoldProduct } from '#reference/reference.ts';
import type { StockLevel } from '#values/stock-units.ts';

/** What a product is shown from: what is replaced when it changes is compared by identity. */
export interface ShownFrom {
  readonly product: SoldProduct;
  /** Of taxes, places, settings, names and rates. */
  readonly changes: number;
  readonly levels: readonly (StockLevel | undefined)[];
}

export const shownFrom = (reference: Reference, product: SoldProduct): ShownFrom => ({
  product,
  changes: reference.changes(),
  levels: product.variants.flatMap(({ id, stockRows }) =>
    stockRows.map(({ warehouseId }) => reference.stock.level(id, warehouseId)),
  ),
});

/** Whether what was made of the one still holds for the other. */
export const isSame = (one: ShownFrom, other: ShownFrom): boolean =>
  one.product === other.product &&
  one.changes === other.changes &&
  one.levels.every((level, index) => level === other.levels[index]);
