import type { PriceSources } from '#command/pricing/basket-prices.ts';
import type { ShippingOption } from '#entities/shipping-option.entity.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import type { ProductOption } from '#events/catalogue.events.ts';
import type { GivenEvent } from '../given.ts';
import { idNamed, noon } from './basket.ts';
import {
  optionNamed,
  productNamed,
  referenceOf,
  serves,
  taxGroupNamed,
  warehouseNamed,
} from './reference.ts';

interface Runtime {
  /** Countries that it serves; none named: all. */
  readonly serves?: readonly string[];
  /** Its options, by name. */
  readonly options: Readonly<Record<string, Partial<ShippingOption>>>;
}

export interface Product {
  readonly price: number;
  /** Percent; left out: it is not taxed. */
  readonly taxRate?: number;
  readonly options?: readonly ProductOption[];
  /** Of one unit; left out: it has no package. */
  readonly weightKg?: number;
  /** Units by warehouse, in the order of priority; where none is named it sells without limit, from everywhere. */
  readonly stock?: Readonly<Record<string, number>>;
}

const productEventsOf = (sku: string, product: Product): readonly GivenEvent[] => {
  const { price, taxRate, options = [], weightKg, stock = {} } = product;
  const size = { lengthCm: null, widthCm: null, heightCm: null };
  const packages = weightKg === undefined ? [] : [{ weight: weightKg, ...size }];
  const tax = `${taxRate} %`;
  const taxGroupId = taxRate === undefined ? null : idNamed(tax);
  const root = { options: [...options], taxGroupId };
  return [
    ...(taxRate === undefined ? [] : [taxGroupNamed(tax, taxRate)]),
    ...productNamed(sku, { shelves: stock, root, variant: { price, packages } }),
  ];
};

const warehouseEventsOf = (
  name: string,
  { serves: countries = [], options }: Runtime,
): readonly GivenEvent[] => [
  warehouseNamed(
    name,
    countries.map((country) => serves(country)),
  ),
  ...Object.entries(options).map(([option, changes]) => optionNamed(option, name, changes)),
];

/** What prices and shipping are looked up in: warehouses, their options, and products with their stock. */
export const warehousesWith = (
  runtimes: Readonly<Record<string, Runtime>>,
  products: Readonly<Record<string, Product>>,
): PriceSources => {
  const reference = referenceOf(
    ...Object.entries(runtimes).map(([name, runtime]) => warehouseEventsOf(name, runtime)),
    ...Object.entries(products).map(([sku, product]) => productEventsOf(sku, product)),
  );
  const settings = { ...defaultStoreSettings, storeCurrencyCode: 'GBP' };
  return { reference, settings: () => settings, clock: { now: () => noon } };
};
