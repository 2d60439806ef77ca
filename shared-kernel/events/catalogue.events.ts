import { z } from 'zod';
import { defineEvents, type EventOf } from './define-events.ts';
import { guid, minor, percent, text } from './fields.ts';

const packageSize = z.object({
  weight: z.number(),
  lengthCm: z.number().nullable(),
  widthCm: z.number().nullable(),
  heightCm: z.number().nullable(),
});

/** What the variants of a product share (decisions, management 3). */
export const productRoot = z.object({
  rootName: text,
  rootUrl: text,
  description: text.nullable(),
  metaDescription: text.nullable(),
  pageTitle: text.nullable(),
  images: z.array(text),
  taxGroupId: guid.nullable(),
  productTypeId: guid,
  collectionIds: z.array(guid),
  tags: z.array(text),
  /** In the order of priority. */
  warehouses: z.array(z.object({ warehouseId: guid, priorityOrder: z.int() })),
  defaultPackages: z.array(packageSize),
  isDigitalProduct: z.boolean(),
  allowExternalCarrierShipping: z.boolean(),
  extendedData: z.record(z.string(), z.unknown()),
});
export type ProductRoot = z.output<typeof productRoot>;

/** A variant: what every storefront path calls the product. */
export const productVariant = z.object({
  id: guid,
  sku: text,
  name: text,
  isDefault: z.boolean(),
  price: minor,
  costOfGoods: minor,
  onSale: z.boolean(),
  previousPrice: minor.nullable(),
  availableForPurchase: z.boolean(),
  canPurchase: z.boolean(),
  supplierSku: text.nullable(),
  gtin: text.nullable(),
  hsCode: text.nullable(),
  images: z.array(text),
  filterIds: z.array(guid),
  packages: z.array(packageSize),
  selectedOptions: z.array(z.object({ optionName: text, valueName: text })),
  variantOptionsKey: text.nullable(),
  url: text,
  shippingRestrictionMode: z.enum(['None', 'AllowList', 'ExcludeList']),
  allowedShippingOptionIds: z.array(guid),
  excludedShippingOptionIds: z.array(guid),
  /** The warehouses that stock it, and whether they count: a row that its stream has not opened yet counts as 0. */
  stockRows: z.array(z.object({ warehouseId: guid, trackStock: z.boolean() })),
});
export type ProductVariant = z.output<typeof productVariant>;

/** Products. Stream `product-<root id>`. */
export const productEvents = defineEvents('catalogue', {
  ProductCreated: { root: productRoot, variants: z.array(productVariant) },
  ProductDetailsChanged: { root: productRoot },
  ProductVariantAdded: { variant: productVariant },
  ProductVariantChanged: { variant: productVariant },
  ProductVariantRemoved: { variantId: guid, sku: text },
  ProductDeleted: {},
});
export type ProductEvent = EventOf<typeof productEvents>;

const named = { name: text, alias: text };

/** Product types and collections. Streams `productType-<id>`, `collection-<id>`. */
export const catalogueGroupEvents = defineEvents('catalogue', {
  ProductTypeCreated: named,
  ProductTypeChanged: named,
  ProductTypeDeleted: {},
  CollectionCreated: { name: text, slug: text },
  CollectionChanged: { name: text, slug: text },
  CollectionDeleted: {},
});
export type CatalogueGroupEvent = EventOf<typeof catalogueGroupEvents>;

export const taxGroup = z.object({
  name: text,
  /** Where no rate matches. */
  taxPercentage: percent,
  rates: z.array(z.object({ countryCode: text, regionCode: text.nullable(), taxPercentage: percent })),
});
export type TaxGroup = z.output<typeof taxGroup>;

/** Tax groups (decisions, storefront 6.1). Stream `taxGroup-<id>`. */
export const taxGroupEvents = defineEvents('tax', {
  TaxGroupCreated: { taxGroup },
  TaxGroupChanged: { taxGroup },
  TaxGroupDeleted: {},
});
export type TaxGroupEvent = EventOf<typeof taxGroupEvents>;
