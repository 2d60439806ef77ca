import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { derivedId } from '#kernel/ids.ts';
import type { StockLevel } from '#reference/reference.ts';
import type { StockCommand, StockRows } from './stock.commands.ts';
import { stockDecider, type StockState } from './stock.decider.ts';

/** Names the stream of a variant's stock in a warehouse. */
export const stockId = (productId: string, warehouseId: string): string =>
  derivedId('stock', productId, warehouseId);

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
export const createStockRows = ({ commands }: Pick<CommandDeps, 'commands'>): StockRows => {
  const execute = (
    productId: string,
    warehouseId: string,
    command: StockCommand,
    meta: CommandMeta,
    isProcessStep = false,
  ) =>
    commands.execute({
      decider: stockDecider,
      id: stockId(productId, warehouseId),
      command,
      context: () => undefined,
      meta,
      isProcessStep,
    });

  return {
    open: async (row, meta) => {
      const { productId, warehouseId } = row;
      const command = { type: 'OpenStockRow', ...row } as const;
      return levelOf((await execute(productId, warehouseId, command, meta)).state);
    },
    adjust: async (productId, warehouseId, change, reason, meta) => {
      const command = { type: 'AdjustStock', change, reason } as const;
      const { state, position } = await execute(productId, warehouseId, command, meta);
      return { level: levelOf(state), position };
    },
    reserved: async (productId, warehouseIds) => {
      const rows = await Promise.all(
        warehouseIds.map((warehouseId) => commands.load(stockDecider, stockId(productId, warehouseId))),
      );
      return rows.reduce((sum, { state }) => sum + levelOf(state).reserved, 0);
    },
    reserve: async ({ basketId, placementId, turn }, { productId, warehouseId, quantity }, meta) => {
      const command = { type: 'ReserveStock', basketId, placementId, turn, quantity } as const;
      await execute(productId, warehouseId, command, meta, true);
    },
    release: async ({ basketId, placementId, turn, isFinal = false }, { productId, warehouseId }, meta) => {
      const command = { type: 'ReleaseStock', basketId, placementId, turn, isFinal } as const;
      await execute(productId, warehouseId, command, meta, true);
    },
  };
};
