import { z } from 'zod';
import type { ProductRoot } from '#events/catalogue.events.ts';
import { freeForm } from './free-form.ts';
import {
  adjustment,
  amount,
  changeBody,
  enumOf,
  guid,
  longText,
  name,
  optionalGuid,
  optionalText,
  type CurrencyOf,
} from './management.contract.ts';
import { newStockRow } from './inventory.contract.ts';

export const productParams = z.object({ id: guid });
export const variantParams = z.object({ id: guid, variantId: guid });

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
    isVariant: z
      .boolean()
      .default(true)
      .refine((isVariant) => isVariant, 'true was expected: add-ons cannot be sold yet'),
    isMultiSelect: z.boolean().default(true),
    isRequired: z.boolean().default(false),
    values: z.array(optionValue(currency)).min(1).max(20),
  });

const rootShape = (currency: CurrencyOf) =>
  ({
    rootName: name,
    rootUrl: z
      .string()
      .trim()
      .toLowerCase()
      .max(250)
      .regex(/^[\p{L}\p{N}]+(-[\p{L}\p{N}]+)*$/u, 'letters, digits and hyphens were expected'),
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
    options: z.array(option(currency)).max(5),
    defaultPackages: packages,
    isDigitalProduct: z.boolean(),
    allowExternalCarrierShipping: z.boolean(),
    extendedData: freeForm(z.record(z.string().max(250), z.unknown())),
  }) satisfies { readonly [Field in keyof ProductRoot]-?: z.ZodType };

const variantShape = (currency: CurrencyOf) => ({
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
  filterIds: z.array(guid),
  packages,
  selectedOptions: z.array(z.object({ optionName: name, valueName: name })),
  shippingRestrictionMode: enumOf({ None: 0, AllowList: 1, ExcludeList: 2 }),
  allowedShippingOptionIds: z.array(guid),
  excludedShippingOptionIds: z.array(guid),
  stock: z.array(newStockRow),
});

/**
 * A variant in the body of its product: found by `id` or `sku`, or new. Which fields a new one needs the product says.
 */
const variantInProduct = (currency: CurrencyOf) => changeBody({ id: guid, ...variantShape(currency) });

export const createVariant = (currency: CurrencyOf) => {
  const { sku, price, ...optionalFields } = variantShape(currency);
  return z
    .object({ sku, price, ...z.object(optionalFields).partial().shape })
    .transform((given) => given as VariantGiven & { readonly sku: string; readonly price: number });
};
export const changeVariant = (currency: CurrencyOf) => changeBody(variantShape(currency));

/** A simple product states its one variant's fields beside its own; `images` are the root's then. */
const productShape = (currency: CurrencyOf) => {
  const { images: _, ...ofVariant } = variantShape(currency);
  return { ...ofVariant, ...rootShape(currency), variants: z.array(variantInProduct(currency)).min(1) };
};

export const changeProduct = (currency: CurrencyOf) => changeBody(productShape(currency));
export const createProduct = (currency: CurrencyOf) =>
  z
    .object({ ...z.object(productShape(currency)).partial().shape, rootName: name })
    .transform((given) => given as unknown as ProductGiven & { readonly rootName: string });

type ProductGiven = z.output<ReturnType<typeof changeProduct>>;
type VariantGiven = z.output<ReturnType<typeof changeVariant>>;
