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

/** Whether what was made of it would come out the same: asked on every request, so nothing is allocated. */
export const isStill = (reference: Reference, product: SoldProduct, made: ShownFrom): boolean => {
  if (made.product !== product || made.changes !== reference.changes()) return false;
  let place = 0;
  for (const { id, stockRows } of product.variants)
    for (const { warehouseId } of stockRows)
      if (made.levels[place++] !== reference.stock.level(id, warehouseId)) return false;
  return true;
};
