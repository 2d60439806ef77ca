import type { ProductVariant } from '#events/catalogue.events.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { isServed, type Location, type Place } from './location.ts';
import type { Reference, ReferenceWarehouse, SellableVariant } from './reference.ts';
import { allowedOptions, isEligible, mayAskCarriers } from './shipping-eligibility.ts';

/** The parts of reference state that tell where goods are and how they leave. */
export type Supplies = Pick<Reference, 'shipping' | 'stock'>;

/** A warehouse that a variant can come from. `available` says nothing where stock is not tracked. */
interface Source {
  readonly warehouse: ReferenceWarehouse;
  readonly isTracked: boolean;
  readonly available: number;
}

/** The warehouses that a variant is assigned to: the root's by priority, without any those of its stock rows. */
export const warehousesOf = ({
  root,
  variant,
}: Pick<SellableVariant, 'root' | 'variant'>): readonly string[] =>
  root.warehouses.length > 0
    ? [...root.warehouses]
        .sort((a, b) => a.priorityOrder - b.priorityOrder)
        .map(({ warehouseId }) => warehouseId)
    : variant.stockRows.map(({ warehouseId }) => warehouseId);

/** Those that it is assigned to, else all. */
const assignedWarehouses = ({ shipping }: Supplies, sellable: SellableVariant): readonly string[] => {
  const assigned = warehousesOf(sellable);
  return assigned.length > 0 ? assigned : shipping.warehouses().map(({ id }) => id);
};

/**
 * Where a variant can come from, in the order of priority. A variant without stock rows is not tracked anywhere; a row
 * whose stream has nothing yet counts as 0.
 */
const sourcesOf = (supplies: Supplies, sellable: SellableVariant): readonly Source[] => {
  const { variant } = sellable;
  const sources: Source[] = [];
  for (const warehouseId of assignedWarehouses(supplies, sellable)) {
    const warehouse = supplies.shipping.warehouse(warehouseId);
    const row = variant.stockRows.find((candidate) => candidate.warehouseId === warehouseId);
    if (!warehouse || (!row && variant.stockRows.length > 0)) continue;
    const level = supplies.stock.level(variant.id, warehouseId);
    const available = level ? Math.max(0, level.stock - level.reserved) : 0;
    sources.push({ warehouse, isTracked: row?.trackStock ?? false, available });
  }
  return sources;
};

/** Whether there is a warehouse that a variant can come from, regardless of stock. */
export const hasSource = (supplies: Supplies, sellable: SellableVariant): boolean =>
  sourcesOf(supplies, sellable).length > 0;

/** The warehouses that a variant can come from, in the order of priority. */
export const sourceWarehouses = (supplies: Supplies, sellable: SellableVariant): readonly string[] =>
  sourcesOf(supplies, sellable).map(({ warehouse }) => warehouse.id);

/** What can be sold; `available` is 0 where there is no limit. */
export interface Sellable {
  readonly isUnlimited: boolean;
  readonly available: number;
}

const unlimited: Sellable = { isUnlimited: true, available: 0 };

const sumOf = (sources: readonly Source[]): Sellable =>
  sources.some(({ isTracked }) => !isTracked)
    ? unlimited
    : { isUnlimited: false, available: sources.reduce((sum, { available }) => sum + available, 0) };

const hasNoStock = ({ root, variant }: SellableVariant): boolean =>
  root.isDigitalProduct || variant.stockRows.length === 0;

/** What can be sold of a variant from all its warehouses, wherever it goes: what a basket is checked against. */
export const availableToSell = (supplies: Supplies, sellable: SellableVariant): Sellable =>
  hasNoStock(sellable) ? unlimited : sumOf(sourcesOf(supplies, sellable));

/** Whether shoppers can buy it at all, regardless of stock. */
export const isPurchasable = ({ availableForPurchase, canPurchase }: ProductVariant): boolean =>
  availableForPurchase && canPurchase;

/** Whether a variant can be bought somewhere at the moment. */
export const isOnSale = (supplies: Supplies, sellable: SellableVariant): boolean => {
  const { isUnlimited, available } = availableToSell(supplies, sellable);
  return isPurchasable(sellable.variant) && (isUnlimited || available > 0);
};

/**
 * Whether a unit of a variant can be sent somewhere just now; asked of many variants, for one place. What is assigned
 * to no warehouse, and what is digital, goes anywhere.
 */
export const reachOf = (supplies: Supplies, place: Place): ((sellable: SellableVariant) => boolean) => {
  const { shipping, stock } = supplies;
  const served = new Map<string, boolean>();
  const isServedFrom = (warehouseId: string): boolean => {
    let known = served.get(warehouseId);
    if (known === undefined) {
      const warehouse = shipping.warehouse(warehouseId);
      known = warehouse !== undefined && isServed(warehouse, place);
      served.set(warehouseId, known);
    }
    return known;
  };
  const hasUnits = ({ variant }: SellableVariant, warehouseId: string): boolean => {
    const row = variant.stockRows.find((candidate) => candidate.warehouseId === warehouseId);
    if (row === undefined) return variant.stockRows.length === 0;
    const level = row.trackStock ? stock.level(variant.id, warehouseId) : undefined;
    return !row.trackStock || (level !== undefined && level.stock > level.reserved);
  };
  return (sellable) => {
    const { root, variant } = sellable;
    if (root.isDigitalProduct) return true;
    const { warehouses } = root;
    if (warehouses.length === 0 && variant.stockRows.length === 0) return true;
    const assigned = warehouses.length > 0 ? warehouses : variant.stockRows;
    return assigned.some(({ warehouseId }) => isServedFrom(warehouseId) && hasUnits(sellable, warehouseId));
  };
};

/** Units by variant and warehouse. */
export type Units = Map<string, number>;
export const unitsKey = (productId: string, warehouseId: string): string => `${productId} ${warehouseId}`;

/** Units of a line that one warehouse sends; where stock is not tracked nothing is to be reserved. */
export interface LinePart {
  readonly warehouseId: string;
  readonly quantity: number;
  readonly isTracked: boolean;
}

export type WarehouseChoice =
  | { readonly kind: 'chosen'; readonly parts: readonly LinePart[] }
  /** No warehouse of the product serves the place. */
  | { readonly kind: 'destination' }
  | { readonly kind: 'stock'; readonly requested: number; readonly available: number };

/**
 * Which warehouses send a line (docs/rules/inventory.md#which-warehouse-sends): the first that has enough, else a split
 * in the order of priority; of those that have enough a `preferred` one comes before the others. `taken` holds what
 * earlier lines took from the same stock, negative for units that this basket holds in reserve already; the choice is
 * added to it.
 */
export const chooseWarehouses = (
  supplies: Supplies,
  sellable: SellableVariant,
  place: Place,
  quantity: number,
  taken: Units,
  preferred: readonly string[] = [],
): WarehouseChoice => {
  const productId = sellable.variant.id;
  const take = (warehouseId: string, units: number, isTracked: boolean): LinePart => {
    const key = unitsKey(productId, warehouseId);
    if (isTracked) taken.set(key, (taken.get(key) ?? 0) + units);
    return { warehouseId, quantity: units, isTracked };
  };
  const serving = sourcesOf(supplies, sellable)
    .filter(({ warehouse }) => isServed(warehouse, place))
    .map((source) => {
      const used = taken.get(unitsKey(productId, source.warehouse.id)) ?? 0;
      return { ...source, available: Math.max(0, source.available - used) };
    });
  if (serving.length === 0) return { kind: 'destination' };
  const enough = serving.filter(({ isTracked, available }) => !isTracked || available >= quantity);
  const single = enough.find(({ warehouse }) => preferred.includes(warehouse.id)) ?? enough[0];
  if (single) return { kind: 'chosen', parts: [take(single.warehouse.id, quantity, single.isTracked)] };
  const available = serving.reduce((sum, source) => sum + source.available, 0);
  if (available < quantity) return { kind: 'stock', requested: quantity, available };
  let remaining = quantity;
  const parts: LinePart[] = [];
  for (const source of serving) {
    const units = Math.min(remaining, source.available);
    if (units > 0) parts.push(take(source.warehouse.id, units, true));
    remaining -= units;
  }
  return { kind: 'chosen', parts };
};

/** Whether a product can be had (docs/rules/inventory.md#availability). */
export interface ProductAvailability {
  readonly canShipToLocation: boolean;
  readonly hasStock: boolean;
  /** 0 where there is no limit. */
  readonly availableStock: number;
  readonly showStockLevels: boolean;
  readonly statusMessage: string;
}

const statusMessage = (
  canShip: boolean,
  { isUnlimited, available }: Sellable,
  quantity: number,
  location: Location,
  { showStockLevels, lowStockThreshold }: StoreSettings,
): string => {
  if (!canShip) return `Not available in ${location.countryName}`;
  if (isUnlimited) return 'In Stock';
  if (available <= 0) return 'Out of Stock';
  if (available < quantity && !showStockLevels) return 'Out of Stock';
  const isLow = available < quantity || available <= lowStockThreshold;
  return isLow && showStockLevels ? `Only ${available} left` : 'In Stock';
};

const hasWayTo = (
  { shipping }: Supplies,
  sellable: SellableVariant,
  reachable: readonly Source[],
  place: Place,
): boolean =>
  reachable.some(
    ({ warehouse }) =>
      mayAskCarriers(shipping, sellable, warehouse.id) ||
      allowedOptions(shipping, sellable, warehouse.id).some((option) =>
        isEligible(shipping, option, sellable, warehouse, place),
      ),
  );

const hasOptionTo = (
  supplies: Supplies,
  sellable: SellableVariant,
  reachable: readonly Source[],
  place: Place,
): boolean =>
  reachable.every(({ warehouse }) => supplies.shipping.optionsOf(warehouse.id).length === 0) ||
  hasWayTo(supplies, sellable, reachable, place);

/** Those of the places to which all this can be sent: each product by an option of some warehouse that goes there. */
export const placesServed = <Where extends Place>(
  supplies: Supplies,
  goods: readonly SellableVariant[],
  places: readonly Where[],
): readonly Where[] => {
  const shipped = goods
    .filter(({ root }) => !root.isDigitalProduct)
    .map((sellable) => ({ sellable, sources: sourcesOf(supplies, sellable) }));
  return places.filter((place) =>
    shipped.every(({ sellable, sources }) => {
      const reachable = sources.filter(({ warehouse }) => isServed(warehouse, place));
      return hasWayTo(supplies, sellable, reachable, place);
    }),
  );
};

/** True if `quantity` units of a variant can be delivered to a place (docs/rules/inventory.md#availability). */
export const productAvailability = (
  supplies: Supplies,
  sellable: SellableVariant,
  quantity: number,
  location: Location,
  settings: StoreSettings,
): ProductAvailability => {
  const { showStockLevels } = settings;
  if (sellable.root.isDigitalProduct) {
    const message = statusMessage(true, unlimited, quantity, location, settings);
    return {
      canShipToLocation: true,
      hasStock: true,
      availableStock: 0,
      showStockLevels,
      statusMessage: message,
    };
  }
  const reachable = sourcesOf(supplies, sellable).filter(({ warehouse }) => isServed(warehouse, location));
  const canShip = reachable.length > 0 && hasOptionTo(supplies, sellable, reachable, location);
  const stock = reachable.length === 0 ? { isUnlimited: false, available: 0 } : sumOf(reachable);
  return {
    canShipToLocation: canShip,
    hasStock: stock.isUnlimited || stock.available >= quantity,
    availableStock: stock.available,
    showStockLevels,
    statusMessage: statusMessage(canShip, stock, quantity, location, settings),
  };
};
