import type { LineTraits } from '#values/discount-targets.ts';
import type { SellableVariant } from './reference.ts';

/** Keyed by the product as sold: a changed one is a new key, and unused ones are collected. */
const knownSold = new WeakMap<SellableVariant, LineTraits>();

/** What targets and triggers may name of a product. */
export const traitsOfSold = (sellable: SellableVariant): LineTraits => {
  const found = knownSold.get(sellable);
  if (found !== undefined) return found;
  const { rootId, root, variant } = sellable;
  const traits = {
    productId: variant.id,
    rootId,
    sku: variant.sku,
    productTypeId: root.productTypeId,
    collectionIds: root.collectionIds,
    filterIds: variant.filterIds,
    tags: root.tags,
    supplierId: null,
    warehouseId: null,
  };
  knownSold.set(sellable, traits);
  return traits;
};
