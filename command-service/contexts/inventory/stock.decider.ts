import { inventoryEvents, type InventoryEvent } from '#events/inventory.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import { MAX_UNITS } from '#values/stock-units.ts';
import type {
  AdjustStock,
  OpenStockRow,
  ReleaseStock,
  ReserveStock,
  StockCommand,
} from './stock.commands.ts';

/** What a basket has reserved. `replaced` are earlier placements: what they still send is out of date. */
interface Hold {
  readonly quantity: number;
  readonly placementId: string;
  readonly replaced: readonly string[];
}

export interface OpenStock {
  readonly status: 'open';
  readonly productId: string;
  readonly warehouseId: string;
  readonly sku: string;
  readonly stock: number;
  readonly reserved: number;
  readonly trackStock: boolean;
  readonly reorderPoint: number | null;
  readonly reorderQuantity: number | null;
  /** By basket. Grows in place: there may be thousands. */
  readonly holds: Record<string, Hold>;
}

export type StockState = { readonly status: 'unopened' } | OpenStock;

const { StockAdjusted, StockReleased, StockReserved, StockRowOpened } = inventoryEvents.create;

const outOfStock = (requested: number, available: number): Rejection =>
  new Rejection('out-of-stock', `Not enough stock: ${requested} wanted, ${available} available.`, {
    requestedQuantity: requested,
    availableQuantity: available,
  });

const open = (state: StockState, command: OpenStockRow): InventoryEvent[] => {
  const { type: _, ...row } = command;
  return state.status === 'open' ? [] : [StockRowOpened(row)];
};

const adjust = (state: OpenStock, { change, reason }: AdjustStock): InventoryEvent[] => {
  const { productId, warehouseId, sku, reserved } = state;
  const stock = 'to' in change ? change.to : state.stock + change.by;
  if (stock > MAX_UNITS && stock > state.stock) {
    throw new Rejection('quantity-too-large', `stock: a warehouse holds at most ${MAX_UNITS} of a product.`);
  }
  if (stock < reserved) {
    throw new Rejection('stock-below-reserved', `${reserved} are reserved: the stock cannot be ${stock}.`, {
      reservedStock: reserved,
    });
  }
  if (stock === state.stock) return [];
  const adjustedBy = stock - state.stock;
  return [StockAdjusted({ productId, warehouseId, sku, adjustedBy, reason, stock, reserved })];
};

const reserve = (state: OpenStock, { basketId, placementId, quantity }: ReserveStock): InventoryEvent[] => {
  const { productId, warehouseId, sku, stock } = state;
  if (!state.trackStock) return [];
  const hold = state.holds[basketId];
  if (hold?.replaced.includes(placementId)) return [];
  if (hold?.placementId === placementId && hold.quantity === quantity) return [];
  const held = hold?.quantity ?? 0;
  const change = quantity - held;
  const available = stock - state.reserved;
  // Both figures count what the basket holds already: it asks for that, and it can have that.
  if (change > 0 && change > available) throw outOfStock(quantity, available + held);
  const reserved = state.reserved + change;
  return [
    StockReserved({ productId, warehouseId, sku, basketId, placementId, quantity, change, stock, reserved }),
  ];
};

const release = (state: OpenStock, { basketId, placementId }: ReleaseStock): InventoryEvent[] => {
  const { productId, warehouseId, sku, stock } = state;
  const hold = state.holds[basketId];
  if (!hold || hold.replaced.includes(placementId)) return [];
  const { quantity } = hold;
  const reserved = state.reserved - quantity;
  return [StockReleased({ productId, warehouseId, sku, basketId, placementId, quantity, stock, reserved })];
};

const reserveNothing = ({ quantity }: ReserveStock): InventoryEvent[] => {
  if (quantity > 0) throw outOfStock(quantity, 0);
  return [];
};

const held = (state: OpenStock, basketId: string, quantity: number, placementId: string): void => {
  const earlier = state.holds[basketId];
  const isSame = !earlier || earlier.placementId === placementId;
  const replaced = isSame ? (earlier?.replaced ?? []) : [...earlier.replaced, earlier.placementId];
  state.holds[basketId] = { quantity, placementId, replaced };
};

/**
 * Stock of one variant in one warehouse: reserved is never below 0 and never above what lies there (decisions,
 * storefront 4.5). Reservations stand in a basket's name; a placement takes over what an earlier one of it held.
 */
export const stockDecider: Decider<StockState, StockCommand, InventoryEvent> = {
  category: 'stock',
  initial: () => ({ status: 'unopened' }),
  decide: (state, command) => {
    if (command.type === 'OpenStockRow') return open(state, command);
    if (state.status === 'unopened') {
      if (command.type === 'ReserveStock') return reserveNothing(command);
      if (command.type === 'ReleaseStock') return [];
      throw new Rejection('entity-not-found', 'There is no such stock row.');
    }
    switch (command.type) {
      case 'AdjustStock':
        return adjust(state, command);
      case 'ReserveStock':
        return reserve(state, command);
      case 'ReleaseStock':
        return release(state, command);
    }
  },
  evolve: (state, event) => {
    if (event.type === 'StockRowOpened') return { status: 'open', ...event.data, reserved: 0, holds: {} };
    if (state.status === 'unopened') return state;
    const { stock, reserved } = event.data;
    if (event.type === 'StockReserved') {
      held(state, event.data.basketId, event.data.quantity, event.data.placementId);
    } else if (event.type === 'StockReleased') {
      delete state.holds[event.data.basketId];
    }
    return { ...state, stock, reserved };
  },
  snapshot: { version: 1, every: 200 },
  remembersCommands: false,
};
