import { inventoryEvents, type InventoryEvent } from '#events/inventory.events.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { RemoveStockRow, SaveStockRow } from './stock.commands.ts';
import type { OpenStock, StockState } from './stock.state.ts';

const { StockAdjusted, StockRowChanged, StockRowOpened, StockRowRemoved } = inventoryEvents.create;

/** Opens a row, or changes what staff say of one; never its units. */
export const saveRow = (state: StockState, command: SaveStockRow): InventoryEvent[] => {
  if (state.status === 'open') return changeRow(state, command);
  const { productId, warehouseId, sku, stock = 0, reason } = command;
  const { trackStock = true, reorderPoint = null, reorderQuantity = null } = command;
  const row = { productId, warehouseId, sku, stock, trackStock, reorderPoint, reorderQuantity };
  return [StockRowOpened({ ...row, ...(stock > 0 && defined({ reason })) })];
};

const changeRow = (state: OpenStock, command: SaveStockRow): InventoryEvent[] => {
  const { productId, warehouseId, sku, stock, reserved } = state;
  const { product, trackStock = state.trackStock } = command;
  const { reorderPoint = state.reorderPoint, reorderQuantity = state.reorderQuantity } = command;
  const isSame =
    trackStock === state.trackStock &&
    reorderPoint === state.reorderPoint &&
    reorderQuantity === state.reorderQuantity;
  if (isSame) return [];
  const row = { productId, warehouseId, sku, trackStock, reorderPoint, reorderQuantity, stock, reserved };
  return [StockRowChanged({ ...row, ...(product && { product: { ...product } }) })];
};

/** Errors: Rejections `stock-reserved`, `still-used`. */
export const removeRow = (state: OpenStock, { isEmpty }: RemoveStockRow): InventoryEvent[] => {
  const { productId, warehouseId, sku, stock, reserved } = state;
  if (isEmpty && stock > 0) throw new Rejection('still-used', `${sku} has ${stock} units there.`);
  if (reserved > 0) {
    const message = `${reserved} are reserved there: ship or cancel what has been ordered first.`;
    throw new Rejection('stock-reserved', message, { reservedStock: reserved });
  }
  const row = { productId, warehouseId, sku };
  const gone = { reason: 'row_removed', stock: 0, reserved };
  return [
    ...(stock === 0 ? [] : [StockAdjusted({ ...row, adjustedBy: -stock, ...gone })]),
    StockRowRemoved({ ...row, stock: 0, reserved }),
  ];
};
