import {
  shippingOption as shippingOptionKind,
  type ShippingOption,
} from '#entities/shipping-option.entity.ts';
import type { EntityType } from '#entities/define-entity.ts';
import { taxGroup as taxGroupKind } from '#entities/tax-group.entity.ts';
import { warehouse as warehouseKind, type Warehouse } from '#entities/warehouse.entity.ts';
import { productEvents, type ProductRoot, type ProductVariant } from '#events/catalogue.events.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { createReference } from '#reference/create-reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import type { SellableVariant } from '#reference/reference.ts';
import { streamOf } from '#values/stream-name.ts';
import { inStream, recordedEvents, type GivenEvent } from '../given.ts';
import { idNamed } from './basket.ts';
import { productOnSale } from './product.ts';

const at = '2030-01-01T00:00:00.000Z';

type ServiceRegion = Warehouse['serviceRegions'][number];
type Cost = ShippingOption['costs'][number];

export const serves = (countryCode: string, regionCode: string | null = null): ServiceRegion => ({
  countryCode,
  regionCode,
  isExcluded: false,
});
export const excludes = (countryCode: string, regionCode: string | null = null): ServiceRegion => ({
  countryCode,
  regionCode,
  isExcluded: true,
});
export const costIn = (countryCode: string, cost: number, regionCode: string | null = null): Cost => ({
  countryCode,
  regionCode,
  cost,
});

/** A resource as a caller's body makes it; amounts are decimals. Its id is made of the name. */
export const entityCreated = <Fields extends object>(
  kind: EntityType<Fields>,
  name: string,
  body: object,
  day = at,
): GivenEvent => ({
  ...kind.created(fieldsOf(kind, { name, ...body }), day),
  stream: `${kind.category}-${idNamed(name)}`,
});

const fieldsOf = <Fields extends object>(kind: EntityType<Fields>, body: object): Fields =>
  kind.createBody(() => 'GBP').parse(body);

export const warehouseNamed = (name: string, serviceRegions: readonly ServiceRegion[] = []): GivenEvent =>
  entityCreated(warehouseKind, name, { address: { name, countryCode: 'GB' }, serviceRegions });

/** A flat rate of 5.00 from a warehouse, if nothing else is said. Amounts in minor units. */
export const optionNamed = (
  name: string,
  warehouse: string,
  changes: Partial<ShippingOption> = {},
): GivenEvent => {
  const fields = fieldsOf(shippingOptionKind, { name, warehouseId: idNamed(warehouse), fixedCost: 5 });
  const event = shippingOptionKind.created({ ...fields, ...changes }, at);
  return { ...event, stream: streamOf.shippingOption(idNamed(name)) };
};

export const taxGroupNamed = (
  name: string,
  taxPercentage: number,
  rates: { countryCode: string; regionCode: string | null; taxPercentage: number }[] = [],
): GivenEvent => entityCreated(taxGroupKind, name, { taxPercentage, rates });

export interface StockedProduct {
  /** Units by warehouse, in the order of priority; `null` is not tracked there. Empty: no stock rows. */
  readonly shelves?: Readonly<Record<string, number | null>>;
  readonly warehouses?: readonly string[];
  readonly root?: Partial<ProductRoot>;
  readonly variant?: Partial<ProductVariant>;
  readonly at?: string;
}

/** A product with one variant and its stock. */
export const productNamed = (sku: string, given: StockedProduct = {}): readonly GivenEvent[] => {
  const shelves = Object.entries(given.shelves ?? {});
  const assigned = given.warehouses ?? shelves.map(([name]) => name);
  const { root, variants } = productOnSale(sku, { price: 1000, taxGroupId: null, isTracked: false });
  const stockRows = shelves.map(([name, stock]) => ({
    warehouseId: idNamed(name),
    trackStock: stock !== null,
  }));
  const warehouses = assigned.map((name, priorityOrder) => ({ warehouseId: idNamed(name), priorityOrder }));
  const created = productEvents.create.ProductCreated({
    root: { ...root, warehouses, ...given.root },
    variants: variants.map((variant) => ({ ...variant, stockRows, ...given.variant })),
    at: given.at ?? at,
  });
  const rows = shelves.map(([name, stock]): GivenEvent => {
    const warehouseId = idNamed(name);
    const row = { productId: idNamed(sku), warehouseId, sku, stock: stock ?? 0, trackStock: stock !== null };
    const event = inventoryEvents.create.StockRowOpened({
      ...row,
      reorderPoint: null,
      reorderQuantity: null,
    });
    return { ...event, stream: streamOf.stock(idNamed(`${sku} ${name}`)) };
  });
  return [...inStream(streamOf.product(idNamed(`root ${sku}`)), created), ...rows];
};

/** So many units are left of a product in a warehouse, once they were counted. */
export const stockCounted = (sku: string, warehouse: string, stock: number, before: number): GivenEvent => {
  const row = { productId: idNamed(sku), warehouseId: idNamed(warehouse), sku, reserved: 0 };
  const change = { ...row, stock, adjustedBy: stock - before, reason: 'Count' };
  const event = inventoryEvents.create.StockAdjusted(change);
  return { ...event, stream: streamOf.stock(idNamed(`${sku} ${warehouse}`)) };
};

/** Reference state after these events. */
export const referenceOf = (...events: readonly (GivenEvent | readonly GivenEvent[])[]) => {
  const reference = createReference();
  const flat = events.flatMap((event): readonly GivenEvent[] => ('type' in event ? [event] : event));
  applyTo(reference, recordedEvents(flat));
  const sellable = (sku: string): SellableVariant => {
    const found = reference.catalogue.variantBySku(sku);
    if (!found) throw new Error(`there is no ${sku}`);
    return found;
  };
  return Object.assign(reference, { sellable });
};

export const applyTo = (
  { parts }: Pick<ReturnType<typeof createReference>, 'parts'>,
  events: readonly Recorded[],
): void => {
  for (const event of events) {
    for (const part of parts) applyEvent(part, event);
  }
};
