import { readFileSync } from 'node:fs';

/** The demo store as its file says it (docs/rules/store-file.md#entries): the fields that tests look at. */
export interface Place {
  readonly countryCode: string;
  readonly regionCode?: string;
}
export interface Keyed {
  readonly key: string;
  readonly name: string;
}
interface TaxGroup extends Keyed {
  readonly taxPercentage: number;
  readonly rates: readonly (Place & { readonly taxPercentage: number })[];
}
export interface Warehouse extends Keyed {
  readonly code: string;
  readonly supplier: string;
  readonly address: Place;
  readonly serviceRegions: readonly (Place & { readonly isExcluded?: boolean })[];
}
interface ShippingOption extends Keyed {
  readonly warehouse: string;
  readonly fixedCost?: number;
  readonly daysFrom: number;
  readonly daysTo: number;
  readonly isNextDay?: boolean;
  readonly nextDayCutOffTime?: string;
  readonly allowsDeliveryDateSelection?: boolean;
  readonly costs?: readonly (Place & { readonly cost: number })[];
  readonly weightTiers?: readonly (Place & { readonly surcharge: number })[];
  readonly excludedRegions?: readonly Place[];
  readonly postcodeRules?: readonly (Place & { readonly surcharge: number; readonly action: string })[];
}
interface StockRow {
  readonly warehouse: string;
  readonly stock: number;
  readonly trackStock?: boolean;
}
/** What is sold: a variant, or a product with the fields of its one variant, or of those generated, beside its own. */
export interface Sold {
  readonly sku: string;
  readonly price: number;
  readonly costOfGoods: number;
  readonly onSale?: boolean;
  readonly previousPrice?: number;
  readonly images?: readonly string[];
  readonly filters?: readonly string[];
  readonly packages?: readonly { readonly weight: number }[];
  readonly stock?: readonly StockRow[];
  readonly shippingRestrictionMode?: string;
  readonly allowedShippingOptions?: readonly string[];
  readonly excludedShippingOptions?: readonly string[];
}
interface Value {
  readonly name: string;
  readonly skuSuffix: string;
  readonly priceAdjustment?: number;
  readonly weightKg?: number;
}
export interface Option {
  readonly name: string;
  readonly isVariant?: boolean;
  readonly isMultiSelect?: boolean;
  readonly isRequired?: boolean;
  readonly values: readonly Value[];
}
export interface Product extends Partial<Sold> {
  readonly key: string;
  readonly rootName: string;
  readonly rootUrl: string;
  readonly description: string;
  readonly images: readonly string[];
  readonly taxGroup: string;
  readonly productType: string;
  readonly collections: readonly string[];
  readonly isDigitalProduct?: boolean;
  readonly digitalFileIds?: readonly string[];
  readonly downloadLinkExpiryDays?: number;
  readonly warehouses?: readonly { readonly warehouse: string; readonly priorityOrder?: number }[];
  readonly options?: readonly Option[];
  readonly variants?: readonly Sold[];
}
interface FilterGroup extends Keyed {
  readonly filters: readonly (Keyed & { readonly hexColour?: string })[];
}
interface DemoStore {
  readonly formatVersion: number;
  readonly settings: {
    readonly storeCurrencyCode: string;
    readonly defaultShippingCountry: string;
    readonly countryCurrencies: Readonly<Record<string, string>>;
  };
  readonly taxGroups: readonly TaxGroup[];
  readonly shippingTaxOverrides: readonly (Place & {
    readonly key: string;
    readonly shippingTaxGroup?: string;
  })[];
  readonly suppliers: readonly (Keyed & { readonly fulfilmentTrigger?: string })[];
  readonly warehouses: readonly Warehouse[];
  readonly shippingOptions: readonly ShippingOption[];
  readonly productTypes: readonly Keyed[];
  readonly collections: readonly Keyed[];
  readonly filterGroups: readonly FilterGroup[];
  readonly products: readonly Product[];
  readonly discounts: readonly (Keyed & Readonly<Record<string, unknown>>)[];
  readonly upsells: readonly (Keyed & Readonly<Record<string, unknown>>)[];
  readonly exchangeRates: readonly { readonly key: string; readonly rate: number }[];
  readonly webhooks: readonly unknown[];
}

const file = new URL('../../command-service/contexts/store/demo-store.json', import.meta.url);

export const demoStoreText = readFileSync(file, 'utf8');
export const demoStore = JSON.parse(demoStoreText) as DemoStore;

/** What a product states of its variants, one by one or together. */
export const soldOf = (product: Product): readonly Sold[] => product.variants ?? [product as Product & Sold];

/** The warehouses that a product names. */
export const stockWarehouses = (product: Product): readonly string[] => [
  ...(product.warehouses ?? []).map(({ warehouse }) => warehouse),
  ...soldOf(product).flatMap(({ stock }) => (stock ?? []).map(({ warehouse }) => warehouse)),
];

/** The countries to which a warehouse sends. */
export const servedBy = (warehouse: Warehouse): string[] =>
  warehouse.serviceRegions.filter(({ isExcluded }) => !isExcluded).map(({ countryCode }) => countryCode);
