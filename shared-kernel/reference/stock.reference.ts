import type { InventoryEvent } from '#events/inventory.events.ts';
import type { StockLevel } from '#values/stock-units.ts';
import type { StockReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { ChunkedEntries } from './chunked-entries.ts';

const MAX_TEXTS = 10_000;

/**
 * Returns an equal text that is there already, if there is one: what was read from JSON has a copy of its own of every
 * id that it names, and a hundred thousand variants name the same few warehouses.
 */
const createTextPool = (): ((text: string) => string) => {
  const texts = new Map<string, string>();
  return (text) => {
    const known = texts.get(text);
    if (known !== undefined) return known;
    if (texts.size >= MAX_TEXTS) texts.clear();
    texts.set(text, text);
    return text;
  };
};

/** The stock of a variant in one warehouse. */
interface StockRow extends StockLevel {
  readonly warehouseId: string;
}

interface RowPlace {
  readonly productId: string;
  readonly warehouseId: string;
}

/** What a row holds after an event. */
interface RowFigures extends RowPlace {
  readonly stock: number;
  readonly reserved: number;
}

type RowEvent = Exclude<
  InventoryEvent,
  { readonly type: 'StockRanLow' | 'DefaultVariantSoldOut' | 'DefaultVariantPassedOn' }
>;

const elsewhere = (rows: readonly StockRow[] | undefined, warehouseId: string): readonly StockRow[] =>
  (rows ?? []).filter((row) => row.warehouseId !== warehouseId);

const createListeners = () => {
  const listeners: ((productId: string) => void)[] = [];
  return {
    watch: (listener: (productId: string) => void): void => void listeners.push(listener),
    tell: (productId: string): void => {
      for (const listener of listeners) listener(productId);
    },
  };
};

/** Stock levels by variant and warehouse, as they were a moment ago. */
export const createStockReference = (): StockReference & ReferencePart => {
  const entries = new ChunkedEntries<readonly StockRow[]>();
  const pooled = createTextPool();
  const { watch, tell } = createListeners();

  const put = (productId: string, rows: readonly StockRow[]): void => {
    if (rows.length > 0) entries.set(productId, rows);
    else entries.delete(productId);
    tell(productId);
  };
  const change = ({ productId, warehouseId }: RowPlace, changes: Partial<StockLevel>): void => {
    const rows = entries.get(productId);
    if (!rows?.some((row) => row.warehouseId === warehouseId)) return;
    put(
      productId,
      rows.map((row) => (row.warehouseId === warehouseId ? { ...row, ...changes } : row)),
    );
  };
  const move = ({ data }: { data: RowFigures }): void =>
    change(data, { stock: data.stock, reserved: data.reserved });

  const on: Fold<RowEvent> = {
    StockRowOpened: ({ data }) => {
      const { productId, stock, trackStock, reorderPoint, reorderQuantity } = data;
      const warehouseId = pooled(data.warehouseId);
      const row: StockRow = { warehouseId, stock, reserved: 0, trackStock, reorderPoint, reorderQuantity };
      put(productId, [...elsewhere(entries.get(productId), warehouseId), row]);
    },
    StockAdjusted: move,
    ReorderPointChanged: ({ data }) => change(data, { reorderPoint: data.reorderPoint }),
    StockRowChanged: ({ data }) => {
      const { trackStock, reorderPoint, reorderQuantity } = data;
      change(data, { trackStock, reorderPoint, reorderQuantity });
    },
    StockRowRemoved: ({ data: { productId, warehouseId } }) =>
      put(productId, elsewhere(entries.get(productId), warehouseId)),
    StockReserved: move,
    StockReleased: move,
    StockAllocated: move,
    AllocationReversed: move,
    ReservationReduced: move,
    ReservationEdited: move,
  };

  return {
    level: (productId, warehouseId) => entries.get(productId)?.find((row) => row.warehouseId === warehouseId),
    levels: (productId) => entries.get(productId),
    watch,
    name: 'stock',
    version: 1,
    on,
    entries,
    restore: (kept) => {
      for (const [id, rows] of kept as readonly (readonly [string, readonly StockRow[]])[]) {
        entries.set(
          id,
          rows.map((row) => ({ ...row, warehouseId: pooled(row.warehouseId) })),
        );
      }
    },
    clear: () => undefined,
  };
};
