import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { StockLevel } from '#reference/reference.ts';
import type { StockRows } from './stock.commands.ts';
import type { StockState } from './stock.decider.ts';
import { stockId, stockStream } from './stock.stream.ts';

const nothing: StockLevel = {
  stock: 0,
  reserved: 0,
  trackStock: true,
  reorderPoint: null,
  reorderQuantity: null,
};

const levelOf = (state: StockState): StockLevel => {
  if (state.status === 'unopened') return nothing;
  const { stock, reserved, trackStock, reorderPoint, reorderQuantity } = state;
  return { stock, reserved, trackStock, reorderPoint, reorderQuantity };
};

/** The stock of the shop: each row is asked on its own stream. */
export const createStockRows = ({ streams }: Pick<CommandDeps, 'streams'>): StockRows => ({
  open: async (row, meta) => {
    const id = stockId(row.productId, row.warehouseId);
    return levelOf((await streams.send(stockStream, id, { type: 'OpenStockRow', ...row }, meta)).state);
  },
  adjust: async (productId, warehouseId, change, reason, meta) => {
    const command = { type: 'AdjustStock', change, reason } as const;
    const id = stockId(productId, warehouseId);
    const { state, position } = await streams.send(stockStream, id, command, meta);
    return { level: levelOf(state), position };
  },
  reserved: async (productId, warehouseIds) => {
    const rows = await Promise.all(
      warehouseIds.map((warehouseId) => streams.load(stockStream, stockId(productId, warehouseId))),
    );
    return rows.reduce((sum, { state }) => sum + levelOf(state).reserved, 0);
  },
});
