import { z } from 'zod';
import { defineEvents, type EventOf } from './define-events.ts';
import { guid, instant, minor, text } from './fields.ts';

const packageSize = z.object({
  weight: z.number(),
  lengthCm: z.number().nullable(),
  widthCm: z.number().nullable(),
  heightCm: z.number().nullable(),
});

/** A choice that a product offers (docs/rules/catalogue.md#options). Options that are not variants are add-ons. */
const productOption = z.object({
  id: guid,
  name: text,
  alias: text,
  sortOrder: z.int(),
  optionTypeAlias: text.nullable(),
  optionUiAlias: text.nullable(),
  isVariant: z.boolean(),
  isMultiSelect: z.boolean(),
  isRequired: z.boolean(),
  values: z.array(
    z.object({
      id: guid,
      name: text,
      fullName: text,
      sortOrder: z.int(),
      hexValue: text.nullable(),
      mediaKey: text.nullable(),
      priceAdjustment: minor,
      costAdjustment: minor,
      skuSuffix: text.nullable(),
      weightKg: z.number().nullable(),
    }),
  ),
});
export type ProductOption = z.output<typeof productOption>;

/** What the variants of a product share (docs/rules/catalogue.md#products-and-variants). */
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
  options: z.array(productOption),
  defaultPackages: z.array(packageSize),
  isDigitalProduct: z.boolean(),
  digitalDeliveryMethod: z.enum(['InstantDownload', 'EmailDelivered']),
  /** Paths below the folder of downloads. */
  digitalFileIds: z.array(text),
  /** 0: never. Null: as the store's settings say. */
  downloadLinkExpiryDays: z.int().nullable(),
  /** 0: without limit. Null: as the store's settings say. */
  maxDownloadsPerLink: z.int().nullable(),
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
  /** The images of the product are not shown for it. */
  excludeRootImages: z.boolean(),
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

/** What variants that are made of options have in common; the rest follows from the values that each combines. */
const commonOfGenerated = productVariant.omit({
  id: true,
  sku: true,
  name: true,
  isDefault: true,
  price: true,
  costOfGoods: true,
  selectedOptions: true,
  variantOptionsKey: true,
  url: true,
});

const combination = z.object({
  id: guid,
  sku: text,
  price: minor,
  costOfGoods: minor,
  /** The place of its value in each variant option of the product, both in their order. */
  values: z.array(z.int()),
});

/** Variants that are made of options, in a form of which an event holds thousands. */
export const generatedVariants = z.object({ common: commonOfGenerated, combinations: z.array(combination) });
export type GeneratedVariants = z.output<typeof generatedVariants>;

/** When it happened: what `dateCreated` and `dateUpdated` show. */
const at = { at: instant };

/** On the first event of a request: the product's name, under which the whole request is announced once. */
const announced = { productName: text.optional() };

/** Products. Stream `product-<root id>`. */
export const productEvents = defineEvents(
  'catalogue',
  {
    ProductCreated: { root: productRoot, variants: z.array(productVariant), ...at },
    ProductDetailsChanged: { root: productRoot, ...at, ...announced },
    ProductVariantAdded: { variant: productVariant, ...at, ...announced },
    ProductVariantChanged: { variant: productVariant, ...at, ...announced },
    ProductVariantRemoved: { variantId: guid, sku: text, ...at, ...announced },
    /** `defaultId`: the default, when it is one of them. */
    ProductVariantsGenerated: { ...generatedVariants.shape, defaultId: guid.nullable(), ...at, ...announced },
    /** Combinations that the options do not make any more. */
    ProductVariantsRemoved: {
      variants: z.array(z.object({ variantId: guid, sku: text })),
      ...at,
      ...announced,
    },
    ProductDeleted: announced,
  },
  {
    ProductCreated: 3,
    ProductDetailsChanged: 3,
    ProductVariantAdded: 2,
    ProductVariantChanged: 2,
    ProductVariantsGenerated: 2,
  },
);
export type ProductEvent = EventOf<typeof productEvents>;
