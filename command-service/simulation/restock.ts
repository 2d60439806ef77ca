import { derivedId } from '#kernel/ids.ts';
import type { Reference, SellableVariant } from '#reference/reference.ts';
import type { ShopActions } from './visitor.ts';
import type { SuggestedVisit } from './suggested.ts';

export interface RestockOptions {
  readonly seed: number;
  readonly shop: Pick<ShopActions, 'inventory'>;
  readonly reference: Reference;
  readonly sellables: readonly SellableVariant[];
}

const actor = { kind: 'system', id: 'simulation' } as const;

/** What the invoices of these visits will hold in reserve, by variant. */
const unitsToBeReserved = (visits: readonly SuggestedVisit[]): ReadonlyMap<string, number> => {
  const units = new Map<string, number>();
  for (const { lines, afterthought, seen, addedByItself } of visits) {
    const more = [seen?.taken, afterthought].filter((goods) => goods !== null && goods !== undefined);
    for (const { productId, quantity = 1 } of [...lines, ...more, ...addedByItself])
      units.set(productId, (units.get(productId) ?? 0) + quantity);
  }
  return units;
};

/** How many units come to a row: whole lots, until it has what is needed and stands above its reorder point. */
const delivery = (
  { reference }: RestockOptions,
  variantId: string,
  warehouseId: string,
  needed: number,
): number => {
  const level = reference.stock.level(variantId, warehouseId);
  if (!level) return needed;
  const least = Math.max(needed, level.reorderPoint ?? 0);
  const missing = least - (level.stock - level.reserved);
  if (missing <= 0) return 0;
  const lot = Math.max(1, level.reorderQuantity ?? missing);
  return Math.ceil(missing / lot) * lot;
};

/**
 * Brings the stock of every warehouse to what the visits to come could ask of it alone. Nothing runs out then, so that
 * what is sold, and from where, does not depend on which of two shoppers is served first.
 */
export const createRestock = (options: RestockOptions) => {
  const { seed, shop, sellables } = options;
  let deliveries = 0;

  const bring = async (
    rootId: string,
    variantId: string,
    warehouseId: string,
    units: number,
  ): Promise<void> => {
    const commandId = derivedId('simulated delivery', seed, deliveries++);
    const correlationId = derivedId('request', commandId);
    const meta = { correlationId, causationId: correlationId, actor, commandId };
    const delivered = { change: { by: units }, reason: 'Delivery' };
    await shop.inventory.adjust({ rootId, variantId, warehouseId }, delivered, meta);
  };

  return async (visits: readonly SuggestedVisit[]): Promise<void> => {
    const needed = unitsToBeReserved(visits);
    const brought: Promise<void>[] = [];
    for (const { rootId, variant } of sellables) {
      for (const { warehouseId, trackStock } of variant.stockRows) {
        const units = trackStock
          ? delivery(options, variant.id, warehouseId, needed.get(variant.id) ?? 0)
          : 0;
        if (units > 0) brought.push(bring(rootId, variant.id, warehouseId, units));
      }
    }
    await Promise.all(brought);
  };
};
