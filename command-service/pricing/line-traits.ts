import type { BasketViewLine } from '#events/basket-view.ts';
import type { StockHold } from '#events/checkout.events.ts';
import { chooseWarehouses, unitsKey, type Supplies, type Units } from '#reference/availability.ts';
import type { CatalogueReference } from '#reference/reference.ts';
import { traitsOfSold } from '#reference/sold-traits.ts';
import type { Destination } from '#values/address.ts';
import type { LineTraits } from '#values/discount-targets.ts';

/** What targets may name of each line, by its id: one entry for each warehouse that sends it. */
export type TraitsOf = (
  lines: readonly BasketViewLine[],
  isShippingChosen: boolean,
) => ReadonlyMap<string, readonly LineTraits[]>;

export interface TraitsWanted {
  readonly destination: Destination;
  readonly holds: readonly StockHold[];
  /** Whether any rule that the basket may have asks where lines are sent from. */
  readonly asksForPlaces: boolean;
}

/** The basket's own reservations do not count as taken. */
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

/** By warehouse, what each product is that it sends: an object that baskets share is neither made nor indexed again. */
const knownFrom = new WeakMap<LineTraits, Map<string, LineTraits>>();

export const traitsFrom = (sold: LineTraits, warehouseId: string, supplierId: string | null): LineTraits => {
  const known = knownFrom.get(sold) ?? new Map<string, LineTraits>();
  knownFrom.set(sold, known);
  const found = known.get(warehouseId);
  if (found?.supplierId === supplierId) return found;
  const traits = { ...sold, warehouseId, supplierId };
  known.set(warehouseId, traits);
  return traits;
};

/**
 * Traits of lines for the targets of discounts, with the warehouses that would send them now
 * (docs/rules/discounts.md#targets). Once shipping is chosen, a line in none of its groups has no warehouse.
 * Warehouses are only worked out where a rule asks for them.
 */
export const traitsIn =
  (
    supplies: Supplies & { readonly catalogue: CatalogueReference },
    { destination, holds, asksForPlaces }: TraitsWanted,
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
      if (!asksForPlaces) {
        traits.set(line.lineId, [sold]);
        continue;
      }
      const choice =
        isShippingChosen && sellable.root.isDigitalProduct
          ? null
          : chooseWarehouses(supplies, sellable, destination, line.quantity, taken);
      const sent =
        choice?.kind === 'chosen'
          ? choice.parts.map(({ warehouseId }) => {
              const supplierId = supplies.shipping.warehouse(warehouseId)?.supplierId ?? null;
              return traitsFrom(sold, warehouseId, supplierId);
            })
          : [sold];
      traits.set(line.lineId, sent);
    }
    return traits;
  };

/** Worked out on demand: never in a shop without rules. */
export const traitsOnDemand = (
  lines: readonly BasketViewLine[],
  isShippingChosen: boolean,
  traitsOf: TraitsOf,
) => {
  let found: ReturnType<TraitsOf> | null = null;
  const byLine = (): ReturnType<TraitsOf> => (found ??= traitsOf(lines, isShippingChosen));
  const listed = (): LineTraits[] => {
    const all: LineTraits[] = [];
    for (const traits of byLine().values()) all.push(...traits);
    return all;
  };
  const all: Iterable<LineTraits> = { [Symbol.iterator]: () => listed().values() };
  return { byLine, all };
};
