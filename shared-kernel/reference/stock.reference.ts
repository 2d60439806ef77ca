import type { InventoryEvent } from '#events/inventory.events.ts';
import type { StockLevel, StockReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';

type StockSnapshot = readonly (readonly [
  productId: string,
  levels: readonly (readonly [warehouseId: string, level: StockLevel])[],
])[];

/** What a row holds after an event. */
interface RowFigures {
  readonly productId: string;
  readonly warehouseId: string;
  readonly stock: number;
  readonly reserved: number;
}

type RowEvent = Exclude<
  InventoryEvent,
  { readonly type: 'StockRanLow' | 'DefaultVariantSoldOut' | 'DefaultVariantPassedOn' }
>;

/** Stock levels by variant and warehouse, as they were a moment ago. */
export const createStockReference = (): StockReference & ReferencePart => {
  const products = new Map<string, Map<string, StockLevel>>();

  const rowsOf = (productId: string): Map<string, StockLevel> => {
    const known = products.get(productId);
    if (known) return known;
    const rows = new Map<string, StockLevel>();
    products.set(productId, rows);
    return rows;
  };

  const move = ({ data }: { data: RowFigures }): void => {
    const { productId, warehouseId, stock, reserved } = data;
    const rows = rowsOf(productId);
    const row = rows.get(warehouseId);
    if (row) rows.set(warehouseId, { ...row, stock, reserved });
  };

  const on: Fold<RowEvent> = {
    StockRowOpened: ({ data }) => {
      const { productId, warehouseId, stock, trackStock, reorderPoint, reorderQuantity } = data;
      rowsOf(productId).set(warehouseId, { stock, reserved: 0, trackStock, reorderPoint, reorderQuantity });
    },
    StockAdjusted: move,
    ReorderPointChanged: ({ data: { productId, warehouseId, reorderPoint } }) => {
      const rows = rowsOf(productId);
      const row = rows.get(warehouseId);
      if (row) rows.set(warehouseId, { ...row, reorderPoint });
    },
    StockReserved: move,
    StockReleased: move,
  };

  return {
    level: (productId, warehouseId) => products.get(productId)?.get(warehouseId),
    name: 'stock',
    version: 1,
    on,
    snapshot: (): StockSnapshot => [...products].map(([id, rows]) => [id, [...rows]] as const),
    restore: (snapshot) => {
      products.clear();
      for (const [id, rows] of snapshot as StockSnapshot) products.set(id, new Map(rows));
    },
  };
};
