import { commandHooks } from '#command/engine/hooks.ts';
import type { StockCommand } from './stock.commands.ts';
import type { StockState } from './stock.state.ts';

/** What hooks are asked before an order reserves stock (docs/guides/hooks.md#notifications). */
export const stockHooks = commandHooks<StockState, StockCommand>('stock', {
  ReserveStock: ({ basketId, quantity }, state) => {
    const row = state.status === 'open' ? state : null;
    const about = { productId: row?.productId, warehouseId: row?.warehouseId, sku: row?.sku };
    return ['InventoryReservingNotification', { basketId, ...about, quantity }];
  },
});
