import type { InventoryEvent } from '#events/inventory.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { projection, type Document } from '#kernel/projection.ts';

/** The stock of one warehouse. */
export interface StockRow {
  readonly stock: number;
  readonly reserved: number;
  readonly trackStock: boolean;
  readonly reorderPoint: number | null;
  readonly reorderQuantity: number | null;
}

/** A variant's stock, row by warehouse id. */
export interface StockDocument extends Document {
  readonly rows: Readonly<Record<string, StockRow>>;
}

type RowEvent = Exclude<InventoryEvent, { readonly type: 'StockRowOpened' }>;

const changed =
  <Event extends RowEvent>(changes: (data: Event['data']) => Partial<StockRow>) =>
  (document: StockDocument | null, { data }: Recorded<Event>): StockDocument | null => {
    const row = document?.rows[data.warehouseId];
    if (!document || !row) return null;
    return { ...document, rows: { ...document.rows, [data.warehouseId]: { ...row, ...changes(data) } } };
  };

const withLevels = changed(({ stock, reserved }) => ({ stock, reserved }));

/** Stock by variant. */
export const stockLevelsProjection = projection<InventoryEvent>()<StockDocument>({
  name: 'stockLevels',
  version: 3,
  indexes: [],
  keys: (event) => [event.data.productId],
  on: {
    StockRowOpened: (document, event, key) => {
      const { warehouseId, stock, trackStock, reorderPoint, reorderQuantity } = event.data;
      const row: StockRow = { stock, reserved: 0, trackStock, reorderPoint, reorderQuantity };
      return { _id: key, rows: { ...document?.rows, [warehouseId]: row } };
    },
    StockAdjusted: withLevels,
    ReorderPointChanged: changed(({ reorderPoint }) => ({ reorderPoint })),
    StockRowChanged: changed(({ trackStock, reorderPoint, reorderQuantity }) => ({
      trackStock,
      reorderPoint,
      reorderQuantity,
    })),
    StockRowRemoved: (document, { data: { warehouseId } }) => {
      if (!document?.rows[warehouseId]) return null;
      const { [warehouseId]: _, ...rows } = document.rows;
      return { ...document, rows };
    },
    StockReserved: withLevels,
    StockReleased: withLevels,
    StockAllocated: withLevels,
    AllocationReversed: withLevels,
    ReservationReduced: withLevels,
    ReservationEdited: withLevels,
  },
});
