import type { InventoryEvent } from '#events/inventory.events.ts';
import type { Recorded } from '#kernel/event.ts';
import type { StockLevel, StockReference } from './reference.ts';
import type { ReferencePart } from './reference-part.ts';

type StockSnapshot = readonly (readonly [
  productId: string,
  levels: readonly (readonly [warehouseId: string, level: StockLevel])[],
])[];

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

  const apply = (event: Recorded<InventoryEvent>): void => {
    const { productId, warehouseId } = event.data;
    const rows = rowsOf(productId);
    if (event.type === 'StockRowOpened') {
      const { stock, trackStock, reorderPoint, reorderQuantity } = event.data;
      rows.set(warehouseId, { stock, reserved: 0, trackStock, reorderPoint, reorderQuantity });
      return;
    }
    const row = rows.get(warehouseId);
    const { stock, reserved } = event.data;
    if (row) rows.set(warehouseId, { ...row, stock, reserved });
  };

  return {
    level: (productId, warehouseId) => products.get(productId)?.get(warehouseId),
    name: 'stock',
    version: 1,
    eventTypes: ['StockRowOpened', 'StockAdjusted', 'StockReserved', 'StockReleased'],
    apply: (event) => apply(event as Recorded<InventoryEvent>),
    snapshot: (): StockSnapshot => [...products].map(([id, rows]) => [id, [...rows]] as const),
    restore: (snapshot) => {
      products.clear();
      for (const [id, rows] of snapshot as StockSnapshot) products.set(id, new Map(rows));
    },
  };
};
