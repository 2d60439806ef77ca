import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { refuseProblems } from '#kernel/entity.ts';
import type { StockLevel } from '#reference/reference.ts';
import type { StockedIn } from '../catalogue/product.commands.ts';
import type { AdjustStock } from './stock.commands.ts';
import { levelOf } from './stock.state.ts';
import { stockId, stockStream } from './stock.stream.ts';

/** The stock of the shop: each row is its own stream. */
export const createStockActions = ({ streams, neighbours }: Pick<CommandDeps, 'streams' | 'neighbours'>) => ({
  /**
   * Sets a row's count or corrects it; a row that is not there begins at 0. Errors: `entity-not-found`,
   * `invalid-request`, `stock-below-reserved`, `quantity-too-large`.
   */
  adjust: async (
    row: StockedIn,
    { change, reason }: Omit<AdjustStock, 'type'>,
    meta: CommandMeta,
  ): Promise<{ readonly level: StockLevel; readonly position: number }> => {
    if (!(await neighbours.catalogue.isStocked(row)) && 'by' in change && change.by < 0) {
      refuseProblems(['adjustBy: at least 0 was expected, as there is no such row yet']);
    }
    await neighbours.catalogue.stockIn(row, stepMeta(meta));
    const command = { type: 'AdjustStock', change, reason } as const;
    const id = stockId(row.variantId, row.warehouseId);
    const { state, position } = await streams.send(stockStream, id, command, meta);
    return { level: levelOf(state), position };
  },
});

export type StockActions = ReturnType<typeof createStockActions>;
