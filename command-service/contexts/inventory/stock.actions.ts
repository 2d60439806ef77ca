import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { createInstances, type Performs } from '#command/engine/run-process.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { notFound, refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { StockLevel } from '#values/stock-units.ts';
import { passOnDefault, type PassingOnCalls, type SoldOutDefault } from './pass-on-default.process.ts';
import type { AdjustStock, StockedIn } from './stock.commands.ts';
import { levelOf, type StockState } from './stock.state.ts';
import { stockStream } from './stock.stream.ts';
import { stockId } from '#values/stock-id.ts';
import { rowsToTakeAway } from './warehouse-rows.ts';

type Deps = Pick<CommandDeps, 'streams' | 'apis' | 'reference'>;

interface Adjusted {
  readonly level: StockLevel;
  readonly position: number;
}

/** A row by the variant's id, and what becomes of it. */
interface VariantAdjustment extends Omit<AdjustStock, 'type'> {
  readonly productId: string;
  readonly warehouseId: string;
}

const opened = (id: string, state: StockState): SoldOutDefault | null =>
  state.status === 'open' && state.passesOn !== null
    ? { stockId: id, rootId: state.passesOn, variantId: state.productId }
    : null;

/** What a new reorder point is announced as. */
const productOf = ({ catalogue }: Deps['reference'], { rootId }: StockedIn): Pick<AdjustStock, 'product'> => {
  const known = catalogue.product(rootId);
  return known ? { product: { id: rootId, name: known.root.rootName } } : {};
};

/** Taking rows away. */
const removingRows = ({ streams, apis, reference }: Deps) => {
  /**
   * Takes a row away. First nothing can be reserved there any more, then the product forgets it: killed in between,
   * the row counts as 0, and to ask again ends it. Returns the position. Errors: `entity-not-found`, `stock-reserved`.
   */
  const remove = async (
    row: StockedIn,
    meta: CommandMeta,
    how: { readonly isEmpty?: true } = {},
  ): Promise<number> => {
    const isStocked = await apis.catalogue.isStocked(row);
    const id = stockId(row.variantId, row.warehouseId);
    const removed = await streams.send(stockStream, id, { type: 'RemoveStockRow', ...how }, meta);
    if (!isStocked && removed.events.length === 0) throw notFound('stock row');
    const left = isStocked ? await apis.catalogue.stockOut(row, stepMeta(meta)) : 0;
    return Math.max(removed.position, left);
  };

  return {
    remove: (row: StockedIn, meta: CommandMeta) => remove(row, meta),
    clearWarehouse: async (warehouseId: string, meta: CommandMeta): Promise<void> => {
      for (const row of rowsToTakeAway(reference, warehouseId))
        await remove(row, stepMeta(meta), { isEmpty: true });
    },
  };
};

/** The stock of the shop: each row is its own stream. */
export const createStockActions = ({ streams, apis, reference }: Deps) => {
  const calls: Performs<PassingOnCalls> = {
    passOn: ({ rootId, variantId }, meta) => apis.catalogue.passOnDefault(rootId, variantId, meta),
  };
  const passingOn = createInstances({ process: passOnDefault, calls, streams });

  /** Makes a sibling the default where the last units of the default are gone. */
  const passOn = (id: string, meta: CommandMeta) =>
    passingOn.run(id, meta, async () => opened(id, (await streams.load(stockStream, id)).state));

  const adjust = async (
    row: StockedIn,
    adjustment: Omit<AdjustStock, 'type'>,
    meta: CommandMeta,
    field = 'adjustBy',
  ): Promise<Adjusted> => {
    const { change } = adjustment;
    const isStocked = await apis.catalogue.isStocked(row);
    if (!isStocked && 'by' in change && change.by < 0) {
      refuseProblems([`${field}: must be at least 0, as there is no such row yet`]);
    }
    await apis.catalogue.stockIn(row, stepMeta(meta));
    const id = stockId(row.variantId, row.warehouseId);
    // A row that is new has changed its product already, which is announced once for a request.
    const product = isStocked ? productOf(reference, row) : {};
    const command = { type: 'AdjustStock', ...adjustment, ...product } as const;
    const { state, position } = await streams.send(stockStream, id, command, meta);
    const level = levelOf(state);
    const passed = opened(id, state) ? await passOn(id, meta) : null;
    return { level, position: Math.max(position, passed?.position ?? 0) };
  };

  return {
    ...removingRows({ streams, apis, reference }),
    /**
     * Sets a row's count or corrects it; a row that is not there begins at 0. Errors: `entity-not-found`,
     * `invalid-request`, `stock-below-reserved`, `quantity-too-large`.
     */
    adjust: (row: StockedIn, adjustment: Omit<AdjustStock, 'type'>, meta: CommandMeta) =>
      adjust(row, adjustment, meta),
    /**
     * The same by the id of a variant alone. Refused with `invalid-request` too when there is no such variant or
     * warehouse, or when less than nothing would be left.
     */
    adjustVariant: async (
      { productId, warehouseId, ...adjustment }: VariantAdjustment,
      meta: CommandMeta,
    ): Promise<Adjusted> => {
      const sellable = reference.catalogue.variant(productId);
      refuseProblems([
        ...(sellable ? [] : ['productId: must be an existing product']),
        ...(reference.shipping.warehouse(warehouseId) ? [] : ['warehouseId: must be an existing warehouse']),
      ]);
      const row = { rootId: sellable?.rootId ?? '', variantId: productId, warehouseId };
      return adjust(row, adjustment, meta, 'quantity').catch((error: unknown) => {
        const left = error instanceof Rejection ? Number(error.details['wantedStock'] ?? 0) : 0;
        refuseProblems(left < 0 ? [`quantity: must leave at least 0, not ${left}`] : []);
        throw error;
      });
    },
    passOn,
    resume: passOn,
    drain: () => passingOn.drain(),
  };
};

export type StockActions = ReturnType<typeof createStockActions>;
