import { z } from 'zod';
import { freeForm } from '#fields/free-form.ts';
import { givenStockRow, stockRowResponse, stockRowSchema } from './stock-row.ts';
import {
  adjustment,
  amount,
  areDistinct,
  enumOf,
  guid,
  longText,
  name,
  optionalGuid,
  optionalText,
  type CurrencyOf,
} from '#fields/body-fields.ts';
import { responseDates } from '#fields/bodies.ts';
import {
  productRoot,
  productVariant,
  type ProductRoot,
  type ProductVariant,
} from '#events/catalogue.events.ts';
import type { StockLevel } from '#values/stock-units.ts';
import { isDownloadPath } from '#values/download-path.ts';
import { toDecimal } from '#values/money.ts';

/**
 * What the API takes and shows of products, field by field. A field of the events that is missing here does not
 * compile.
 */

/** What callers say of a variant; the rest follows. */
type VariantField =
  | Exclude<keyof ProductVariant, 'id' | 'url' | 'variantOptionsKey' | 'isDefault' | 'stockRows'>
  | 'default'
  | 'stock';

const size = z.number().min(0).max(100_000);
const packages = z.array(
  z.object({
    weight: size,
    lengthCm: size.nullable().default(null),
    widthCm: size.nullable().default(null),
    heightCm: size.nullable().default(null),
  }),
);
const images = z.array(z.string().trim().min(1).max(250));
const order = z.int();
const MAX_FILES = 100;
/** A hundred years. */
const MAX_EXPIRY_DAYS = 36_500;
const downloadPath = z
  .string()
  .trim()
  .max(250)
  .refine(isDownloadPath, 'must be a path below the folder of downloads, such as books/tea.pdf');

const optionValue = (currency: CurrencyOf) =>
  z.object({
    id: guid.optional(),
    name,
    fullName: name.optional(),
    sortOrder: order.optional(),
    hexValue: optionalText.default(null),
    mediaKey: optionalText.default(null),
    priceAdjustment: adjustment(currency).default(0),
    costAdjustment: adjustment(currency).default(0),
    skuSuffix: optionalText.default(null),
    weightKg: size.nullable().default(null),
  });

const option = (currency: CurrencyOf) =>
  z.object({
    id: guid.optional(),
    name,
    alias: optionalText.default(null),
    sortOrder: order.optional(),
    optionTypeAlias: optionalText.default(null),
    optionUiAlias: optionalText.default(null),
    isVariant: z.boolean().default(true),
    isMultiSelect: z.boolean().default(true),
    isRequired: z.boolean().default(false),
    values: z.array(optionValue(currency)).min(1),
  });

/** What callers send of the root, field by field. */
export const rootShape = (currency: CurrencyOf) =>
  ({
    rootName: name,
    rootUrl: z
      .string()
      .trim()
      .toLowerCase()
      .max(250)
      .regex(/^[\p{L}\p{N}]+(-[\p{L}\p{N}]+)*$/u, 'must be letters, digits and hyphens'),
    description: longText,
    metaDescription: longText,
    pageTitle: optionalText,
    images,
    taxGroupId: optionalGuid,
    productTypeId: optionalGuid,
    collectionIds: z.array(guid),
    tags: z.array(name),
    warehouses: z.array(z.object({ warehouseId: guid, priorityOrder: order.optional() })).transform((given) =>
      given.map(({ warehouseId, priorityOrder }, place) => ({
        warehouseId,
        priorityOrder: priorityOrder ?? place,
      })),
    ),
    options: z.array(option(currency)),
    defaultPackages: packages,
    isDigitalProduct: z.boolean(),
    digitalDeliveryMethod: enumOf({ InstantDownload: 0, EmailDelivered: 1 }),
    digitalFileIds: z.array(downloadPath).max(MAX_FILES).refine(areDistinct, 'must name each file once'),
    downloadLinkExpiryDays: z.int().min(0).max(MAX_EXPIRY_DAYS).nullable(),
    maxDownloadsPerLink: z.int().min(0).max(1_000_000).nullable(),
    allowExternalCarrierShipping: z.boolean(),
    extendedData: freeForm(z.record(z.string().max(250), z.unknown())),
  }) satisfies { readonly [Field in keyof ProductRoot]-?: z.ZodType };

/** What callers send of a variant, field by field: `default` for `isDefault`, and the stock itself for its rows. */
export const variantShape = (currency: CurrencyOf) =>
  ({
    sku: name,
    price: amount(currency),
    name: name,
    default: z.boolean(),
    costOfGoods: amount(currency),
    onSale: z.boolean(),
    previousPrice: amount(currency).nullable(),
    availableForPurchase: z.boolean(),
    canPurchase: z.boolean(),
    supplierSku: optionalText,
    gtin: optionalText,
    hsCode: optionalText,
    images,
    excludeRootImages: z.boolean(),
    filterIds: z.array(guid),
    packages,
    selectedOptions: z.array(z.object({ optionName: name, valueName: name })),
    shippingRestrictionMode: enumOf({ None: 0, AllowList: 1, ExcludeList: 2 }),
    allowedShippingOptionIds: z.array(guid),
    excludedShippingOptionIds: z.array(guid),
    stock: z.array(givenStockRow),
  }) satisfies { readonly [Field in VariantField]-?: z.ZodType };

/** What a new product has of the fields that are left out. */
export const newRoot: Omit<Required<ProductRoot>, 'rootName' | 'rootUrl' | 'productTypeId'> = {
  description: null,
  metaDescription: null,
  pageTitle: null,
  images: [],
  taxGroupId: null,
  collectionIds: [],
  tags: [],
  warehouses: [],
  options: [],
  defaultPackages: [],
  isDigitalProduct: false,
  digitalDeliveryMethod: 'InstantDownload',
  digitalFileIds: [],
  downloadLinkExpiryDays: null,
  maxDownloadsPerLink: null,
  allowExternalCarrierShipping: true,
  extendedData: {},
};

/** Likewise a new variant. */
export const newVariant: Omit<ProductVariant, 'id' | 'sku' | 'price'> = {
  name: '',
  isDefault: false,
  costOfGoods: 0,
  onSale: false,
  previousPrice: null,
  availableForPurchase: true,
  canPurchase: true,
  supplierSku: null,
  gtin: null,
  hsCode: null,
  images: [],
  excludeRootImages: false,
  filterIds: [],
  packages: [],
  selectedOptions: [],
  variantOptionsKey: null,
  url: '',
  shippingRestrictionMode: 'None',
  allowedShippingOptionIds: [],
  excludedShippingOptionIds: [],
  stockRows: [],
};

/** A variant in a warehouse; undefined when the row has not been opened yet. */
export type LevelOf = (productId: string, warehouseId: string) => StockLevel | undefined;

const unopened = (trackStock: boolean): StockLevel => ({
  stock: 0,
  reserved: 0,
  trackStock,
  reorderPoint: null,
  reorderQuantity: null,
});

/** A variant as the management API shows it (docs/rules/catalogue.md#products-and-variants). */
export const variantResponse = (
  { isDefault, stockRows, price, costOfGoods, previousPrice, ...variant }: ProductVariant,
  currency: string,
  levelOf: LevelOf,
) => ({
  ...variant,
  default: isDefault,
  price: toDecimal(price, currency),
  costOfGoods: toDecimal(costOfGoods, currency),
  previousPrice: previousPrice === null ? null : toDecimal(previousPrice, currency),
  isStockTracked: stockRows.some(({ trackStock }) => trackStock),
  stock: stockRows.map(({ warehouseId, trackStock }) =>
    stockRowResponse(warehouseId, levelOf(variant.id, warehouseId) ?? unopened(trackStock)),
  ),
});

export interface ProductToShow {
  readonly id: string;
  readonly root: ProductRoot;
  readonly variants: readonly ProductVariant[];
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

/** A product as POST, PUT and GET answer it. */
export const productResponse = (
  { id, root, variants, dateCreated, dateUpdated }: ProductToShow,
  currency: string,
  levelOf: LevelOf,
) => ({
  id,
  ...root,
  options: root.options.map((option) => ({
    ...option,
    values: option.values.map((value) => ({
      ...value,
      priceAdjustment: toDecimal(value.priceAdjustment, currency),
      costAdjustment: toDecimal(value.costAdjustment, currency),
    })),
  })),
  variants: variants.map((variant) => variantResponse(variant, currency, levelOf)),
  dateCreated,
  dateUpdated,
});

const { stockRows: _, isDefault, ...shownOfVariant } = productVariant.shape;
const price = z.number();

/** A variant as it is shown: amounts as decimal numbers, its stock as it is. */
export const variantSchema = z.object({
  ...shownOfVariant,
  default: isDefault,
  price,
  costOfGoods: price,
  previousPrice: price.nullable(),
  isStockTracked: z.boolean(),
  stock: z.array(stockRowSchema),
});

const { options, ...shownOfRoot } = productRoot.shape;
const value = options.element.shape.values.element;

export const productSchema = z.object({
  ...responseDates,
  ...shownOfRoot,
  options: z.array(
    options.element.extend({
      values: z.array(value.extend({ priceAdjustment: price, costAdjustment: price })),
    }),
  ),
  variants: z.array(variantSchema),
});
