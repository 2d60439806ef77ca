import type { BasketViewLine } from '#events/basket-view.ts';
import type { StockHold } from '#events/checkout.events.ts';
import { chooseWarehouses, unitsKey, type Supplies, type Units } from '#reference/availability.ts';
import type { CatalogueReference, SellableVariant } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import type { LineTraits } from '#values/discount-targets.ts';

/** What targets may name of each line, by its id: one entry for each warehouse that sends it. */
export type TraitsOf = (
  lines: readonly BasketViewLine[],
  isShippingChosen: boolean,
) => ReadonlyMap<string, readonly LineTraits[]>;

/** What the basket holds already counts as taken by nobody. */
export const ownHolds = (holds: readonly StockHold[]): Units => {
  const units: Units = new Map();
  for (const { productId, warehouseId, quantity } of holds)
    units.set(unitsKey(productId, warehouseId), -quantity);
  return units;
};

/** What is not sold any more is known by what its line says. */
export const traitsOfUnsold = ({ productId, productRootId, sku }: BasketViewLine): LineTraits => ({
  productId,
  rootId: productRootId,
  sku,
  productTypeId: null,
  collectionIds: [],
  filterIds: [],
  tags: [],
  supplierId: null,
  warehouseId: null,
});

const traitsOfSold = ({ rootId, root, variant }: SellableVariant): LineTraits => ({
  productId: variant.id,
  rootId,
  sku: variant.sku,
  productTypeId: root.productTypeId,
  collectionIds: root.collectionIds,
  filterIds: variant.filterIds,
  tags: root.tags,
  supplierId: null,
  warehouseId: null,
});

/**
 * What lines are, for the targets of discounts, and the warehouses that would send them now
 * (docs/rules/discounts.md#targets). Once shipping has been chosen, what is in none of its groups comes from nowhere.
 */
export const traitsIn =
  (
    supplies: Supplies & { readonly catalogue: CatalogueReference },
    destination: Destination,
    holds: readonly StockHold[],
  ): TraitsOf =>
  (lines, isShippingChosen) => {
    const taken = ownHolds(holds);
    const traits = new Map<string, readonly LineTraits[]>();
    for (const line of lines) {
      const sellable = supplies.catalogue.variant(line.productId);
      if (sellable === undefined) {
        traits.set(line.lineId, [traitsOfUnsold(line)]);
        continue;
      }
      const sold = traitsOfSold(sellable);
      const choice =
        isShippingChosen && sellable.root.isDigitalProduct
          ? null
          : chooseWarehouses(supplies, sellable, destination, line.quantity, taken);
      const sent =
        choice?.kind === 'chosen'
          ? choice.parts.map(({ warehouseId }) => {
              const supplierId = supplies.shipping.warehouse(warehouseId)?.supplierId ?? null;
              return { ...sold, warehouseId, supplierId };
            })
          : [sold];
      traits.set(line.lineId, sent);
    }
    return traits;
  };

/** Looked up when somebody asks for them: in a shop without rules nobody does. */
export const traitsOnDemand = (
  lines: readonly BasketViewLine[],
  isShippingChosen: boolean,
  traitsOf: TraitsOf,
) => {
  let found: ReturnType<TraitsOf> | null = null;
  const byLine = (): ReturnType<TraitsOf> => (found ??= traitsOf(lines, isShippingChosen));
  const all: Iterable<LineTraits> = { [Symbol.iterator]: () => [...byLine().values()].flat().values() };
  return { byLine, all };
};
