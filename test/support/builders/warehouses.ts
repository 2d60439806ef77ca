import type { PriceSources } from '#command/pricing/basket-prices.ts';
import {
  shippingOption as shippingOptionKind,
  type ShippingOption,
} from '#entities/shipping-option.entity.ts';
import { warehouse as warehouseKind, type Warehouse } from '#entities/warehouse.entity.ts';
import { productEvents } from '#events/catalogue.events.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import { createReference } from '#reference/create-reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { streamOf } from '#values/stream-name.ts';
import { inStream, recordedEvents, type GivenEvent } from '../given.ts';
import { idNamed, noon } from './basket.ts';
import { addressOf } from './invoice.ts';
import { productOnSale } from './product.ts';

const at = '2030-01-01T00:00:00.000Z';

const warehouseOf = (name: string, countries: readonly string[]): Warehouse => ({
  name,
  code: null,
  address: addressOf(name),
  supplierId: null,
  serviceRegions: countries.map((countryCode) => ({ countryCode, regionCode: null, isExcluded: false })),
});

const optionOf = (name: string, warehouse: string, changes: Partial<ShippingOption>): ShippingOption => ({
  name,
  warehouseId: idNamed(warehouse),
  providerKey: 'flat-rate',
  serviceType: null,
  isEnabled: true,
  fixedCost: 500,
  daysFrom: 2,
  daysTo: 4,
  isNextDay: false,
  nextDayCutOffTime: null,
  costs: [],
  weightTiers: [],
  excludedRegions: [],
  postcodeRules: [],
  allowsDeliveryDateSelection: false,
  minDeliveryDays: null,
  maxDeliveryDays: null,
  allowedDaysOfWeek: null,
  isDeliveryDateGuaranteed: false,
  ...changes,
});

interface House {
  /** Countries that it serves; none named: all. */
  readonly serves?: readonly string[];
  /** Its options, by name. */
  readonly options: Readonly<Record<string, Partial<ShippingOption>>>;
}

interface Product {
  readonly price: number;
  /** Of one unit; left out: it has no package. */
  readonly weightKg?: number;
  /** Units by warehouse, in the order of priority; where none is named it sells without limit, from everywhere. */
  readonly stock?: Readonly<Record<string, number>>;
}

const productEventsOf = (sku: string, { price, weightKg, stock = {} }: Product): readonly GivenEvent[] => {
  const { root, variants } = productOnSale(sku, { price, taxGroupId: null, isTracked: false });
  const warehouses = Object.keys(stock).map((name, priorityOrder) => ({
    warehouseId: idNamed(name),
    priorityOrder,
  }));
  const size = { lengthCm: null, widthCm: null, heightCm: null };
  const packages = weightKg === undefined ? [] : [{ weight: weightKg, ...size }];
  const stockRows = warehouses.map(({ warehouseId }) => ({ warehouseId, trackStock: true }));
  const created = productEvents.create.ProductCreated({
    root: { ...root, warehouses },
    variants: variants.map((variant) => ({ ...variant, packages, stockRows })),
    at,
  });
  const rows = Object.entries(stock).flatMap(([warehouse, units]) =>
    inStream(
      streamOf.stock(idNamed(`stock ${sku} ${warehouse}`)),
      inventoryEvents.create.StockRowOpened({
        productId: idNamed(sku),
        warehouseId: idNamed(warehouse),
        sku,
        stock: units,
        trackStock: true,
        reorderPoint: null,
        reorderQuantity: null,
      }),
    ),
  );
  return [...inStream(streamOf.product(idNamed(`root ${sku}`)), created), ...rows];
};

const houseEventsOf = (name: string, { serves = [], options }: House): readonly GivenEvent[] => [
  ...inStream(
    streamOf.warehouse(idNamed(name)),
    warehouseKind.events.create.WarehouseCreated({ warehouse: warehouseOf(name, serves), at }),
  ),
  ...Object.entries(options).flatMap(([option, changes]) =>
    inStream(
      streamOf.shippingOption(idNamed(option)),
      shippingOptionKind.events.create.ShippingOptionCreated({
        shippingOption: optionOf(option, name, changes),
        at,
      }),
    ),
  ),
];

/** What prices and shipping are looked up in: warehouses, their options, and products with their stock. */
export const warehousesWith = (
  houses: Readonly<Record<string, House>>,
  products: Readonly<Record<string, Product>>,
): PriceSources => {
  const reference = createReference();
  const events = [
    ...Object.entries(houses).flatMap(([name, house]) => houseEventsOf(name, house)),
    ...Object.entries(products).flatMap(([sku, product]) => productEventsOf(sku, product)),
  ];
  for (const event of recordedEvents(events)) {
    for (const part of reference.parts) applyEvent(part, event);
  }
  const settings = { ...defaultStoreSettings, storeCurrencyCode: 'GBP' };
  return { reference, settings: () => settings, clock: { now: () => noon } };
};
