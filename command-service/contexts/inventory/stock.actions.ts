import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { refuseProblems } from '#kernel/entity.ts';
import type { StockLevel } from '#reference/reference.ts';
import type { AdjustStock } from './stock.commands.ts';
import { levelOf } from './stock.state.ts';
import { stockId, stockStream } from './stock.stream.ts';

/** A variant of a product, and the warehouse whose stock of it is meant. */
export interface StockRow {
  /** Of the product. */
  readonly rootId: string;
  readonly variantId: string;
  readonly warehouseId: string;
}

interface StockActionDeps extends Pick<CommandDeps, 'streams'> {
  /** Whether the product says that the warehouse stocks the variant. Errors: `entity-not-found`. */
  readonly isStocked: (row: StockRow) => Promise<boolean>;
  /** Has the product say so, and opens the row where there is none, with nothing in it. */
  readonly stockIn: (row: StockRow, meta: CommandMeta) => Promise<void>;
}

/** The stock of the shop: each row is its own stream. */
export const createStockActions = ({ streams, isStocked, stockIn }: StockActionDeps) => ({
  /**
   * Counts a row anew or corrects it; a row that is not there begins at 0. Errors: `entity-not-found`,
   * `invalid-request`, `stock-below-reserved`, `quantity-too-large`.
   */
  adjust: async (
    row: StockRow,
    { change, reason }: Omit<AdjustStock, 'type'>,
    meta: CommandMeta,
  ): Promise<{ readonly level: StockLevel; readonly position: number }> => {
    if (!(await isStocked(row)) && 'by' in change && change.by < 0) {
      refuseProblems(['adjustBy: at least 0 was expected, as there is no such row yet']);
    }
    await stockIn(row, stepMeta(meta));
    const command = { type: 'AdjustStock', change, reason } as const;
    const id = stockId(row.variantId, row.warehouseId);
    const { state, position } = await streams.send(stockStream, id, command, meta);
    return { level: levelOf(state), position };
  },
});

export type StockActions = ReturnType<typeof createStockActions>;
