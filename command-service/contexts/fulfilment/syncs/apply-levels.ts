import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { InventoryLevel } from '#ports/fulfilment-provider.ts';
import { Rejection } from '#kernel/rejection.ts';
import { inParallel } from '#runtime/work-off.ts';
import { stockStream } from '../../inventory/stock.stream.ts';
import { stockId } from '#values/stock-id.ts';
import { providerOf } from '#reference/chosen-provider.ts';

export interface AppliedLevels {
  readonly itemsProcessed: number;
  readonly itemsSucceeded: number;
  readonly itemsFailed: number;
  /** Of the last change made. */
  readonly position: number;
}

interface Row {
  readonly productId: string;
  readonly warehouseId: string;
  readonly available: number;
}

/** Adjusted side by side: they share commits of the log, and shoppers hardly notice them. */
const AT_ONCE = 32;

type Deps = Pick<CommandDeps, 'streams' | 'reference'>;

/** The warehouses that the provider sends from: it may report levels of no others. */
const placing = ({ reference }: Deps, configurationId: string) => {
  const own = reference.shipping
    .warehouses()
    .filter(({ id }) => providerOf(reference, id)?.configurationId === configurationId);
  const byCode = new Map(
    own.flatMap(({ id, code }) => (code === null ? [] : [[code.toLowerCase(), id] as const])),
  );
  return (warehouseCode: string | null): readonly string[] => {
    if (warehouseCode === null) return own.map(({ id }) => id);
    const found = byCode.get(warehouseCode.toLowerCase());
    return found === undefined ? [] : [found];
  };
};

/** The stock row of a level; undefined if the shop has no such row, or the level is invalid. */
const rowing = (deps: Deps, configurationId: string) => {
  const { catalogue, stock } = deps.reference;
  const warehousesOf = placing(deps, configurationId);
  return ({ sku, warehouseCode, availableQuantity }: InventoryLevel): Row | undefined => {
    const productId = catalogue.variantBySku(sku)?.variant.id;
    if (productId === undefined || availableQuantity < 0) return undefined;
    const warehouseId = warehousesOf(warehouseCode).find((id) => stock.level(productId, id) !== undefined);
    return warehouseId === undefined ? undefined : { productId, warehouseId, available: availableQuantity };
  };
};

/**
 * Applies a provider's stock levels (docs/rules/fulfilment.md#syncs): what can be sold there, plus what the shop has
 * reserved. Unknown rows are skipped and not counted.
 */
export const applyLevels = async (
  deps: Deps,
  configurationId: string,
  levels: readonly InventoryLevel[],
  meta: CommandMeta,
): Promise<AppliedLevels> => {
  const { streams, reference } = deps;
  const rowOf = rowing(deps, configurationId);
  const counts = { itemsSucceeded: 0, itemsFailed: 0, position: 0 };
  const applyOne = async ({ productId, warehouseId, available }: Row): Promise<void> => {
    if (!reference.stock.level(productId, warehouseId)?.trackStock) return;
    const id = stockId(productId, warehouseId);
    const command = { type: 'AdjustStock', change: { available }, reason: 'provider_sync' } as const;
    const { position } = await streams.send(stockStream, id, command, meta, { isProcessStep: true });
    counts.position = Math.max(counts.position, position);
  };
  await inParallel(levels, AT_ONCE, async (level) => {
    const row = rowOf(level);
    if (!row) return;
    try {
      await applyOne(row);
      counts.itemsSucceeded++;
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      counts.itemsFailed++;
    }
  });
  return { itemsProcessed: levels.length, ...counts };
};
