import type { StockCommand } from '#command/contexts/inventory/stock.commands.ts';
import { stockDecider } from '#command/contexts/inventory/stock.decider.ts';
import type { OpenStock, StockState } from '#command/contexts/inventory/stock.state.ts';
import { inventoryEvents, type InventoryEvent } from '#events/inventory.events.ts';
import { given, inContext, type Given } from '../given.ts';
import { stockContext } from '../sold-goods.ts';
import { idNamed } from './basket.ts';

const { StockReserved, StockRowOpened } = inventoryEvents.create;

/** The mugs in the east warehouse. */
export const row = { productId: idNamed('mug'), warehouseId: idNamed('east'), sku: 'MUG' };

/** The rules of stock; a row runs low at 3 units. */
export const stockRules = inContext(stockDecider, stockContext);

export interface StockHolder {
  readonly basketId: string;
  readonly placementId: string;
  readonly turn?: number;
}

export const holder = (basket: string, placement: string): StockHolder => ({
  basketId: idNamed(basket),
  placementId: idNamed(placement),
});

export const opened = (stock: number, trackStock = true) =>
  StockRowOpened({ ...row, stock, trackStock, reorderPoint: null, reorderQuantity: null });

/** A first reservation of a basket; `all`: with what others have reserved. */
export const reserved = (by: StockHolder, quantity: number, stock: number, all = quantity) =>
  StockReserved({ ...row, ...by, quantity, change: quantity, stock, reserved: all });

export const reserve = (by: StockHolder, quantity: number): StockCommand => ({
  type: 'ReserveStock',
  ...by,
  quantity,
});

export const release = (by: StockHolder): StockCommand => ({ type: 'ReleaseStock', ...by });

export const releaseForGood = (by: StockHolder): StockCommand => ({
  type: 'ReleaseStock',
  ...by,
  isFinal: true,
});

export const allocate = (by: StockHolder, shipment: string, quantity: number): StockCommand => ({
  type: 'AllocateStock',
  ...by,
  shipmentId: idNamed(shipment),
  quantity,
});

export type StockRow = Given<StockState, StockCommand, InventoryEvent, void>;

/** A row with this history. */
export const stockRow = (...history: readonly InventoryEvent[]): StockRow => given(stockRules, history);

const isOpen = (state: StockState): state is OpenStock => state.status === 'open';

export const openState = (of: StockRow): OpenStock => of.state(isOpen);
