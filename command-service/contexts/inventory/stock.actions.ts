import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { createInstances } from '#command/engine/run-process.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { refuseProblems } from '#kernel/entity.ts';
import type { StockLevel } from '#reference/reference.ts';
import type { StockedIn } from '../catalogue/product.commands.ts';
import { passOnDefault, type PassOn, type SoldOutDefault } from './pass-on-default.process.ts';
import type { AdjustStock } from './stock.commands.ts';
import { levelOf, type StockState } from './stock.state.ts';
import { stockId, stockStream } from './stock.stream.ts';

type Deps = Pick<CommandDeps, 'streams' | 'neighbours' | 'reference'>;

const opened = (id: string, state: StockState): SoldOutDefault | null =>
  state.status === 'open' && state.passesOn !== null
    ? { stockId: id, rootId: state.passesOn, variantId: state.productId }
    : null;

/** The stock of the shop: each row is its own stream. */
export const createStockActions = ({ streams, neighbours, reference }: Deps) => {
  const passingOn = createInstances({
    process: passOnDefault,
    calls: {
      'pass on': ({ rootId, variantId }: PassOn, meta) =>
        neighbours.catalogue.passOnDefault(rootId, variantId, meta),
    },
    streams,
  });

  /** Makes a sibling the default where the last units of the default are gone. */
  const passOn = (id: string, meta: CommandMeta) =>
    passingOn.run(id, meta, async () => opened(id, (await streams.load(stockStream, id)).state));

  return {
    /** Where a variant is stocked, or could be. Errors: `invalid-request` when one is unknown. */
    rowOf: (productId: string, warehouseId: string): StockedIn => {
      const sellable = reference.catalogue.variant(productId);
      const isWarehouse = reference.shipping.warehouse(warehouseId) !== undefined;
      refuseProblems([
        ...(sellable ? [] : ['productId: an existing product was expected']),
        ...(isWarehouse ? [] : ['warehouseId: an existing warehouse was expected']),
      ]);
      return { rootId: sellable?.rootId ?? '', variantId: productId, warehouseId };
    },
    /**
     * Sets a row's count or corrects it; a row that is not there begins at 0. Errors: `entity-not-found`,
     * `invalid-request`, `stock-below-reserved`, `quantity-too-large`.
     */
    adjust: async (
      row: StockedIn,
      adjustment: Omit<AdjustStock, 'type'>,
      meta: CommandMeta,
    ): Promise<{ readonly level: StockLevel; readonly position: number }> => {
      const { change } = adjustment;
      if (!(await neighbours.catalogue.isStocked(row)) && 'by' in change && change.by < 0) {
        refuseProblems(['stock: at least 0 was expected to be left: there is no such row yet']);
      }
      await neighbours.catalogue.stockIn(row, stepMeta(meta));
      const id = stockId(row.variantId, row.warehouseId);
      const command = { type: 'AdjustStock', ...adjustment } as const;
      const { state, position } = await streams.send(stockStream, id, command, meta);
      const level = levelOf(state);
      const passed = opened(id, state) ? await passOn(id, meta) : null;
      return { level, position: Math.max(position, passed?.position ?? 0) };
    },
    resume: passOn,
    drain: () => passingOn.drain(),
  };
};

export type StockActions = ReturnType<typeof createStockActions>;
