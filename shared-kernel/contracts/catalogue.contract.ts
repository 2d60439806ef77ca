import { z } from 'zod';
import { rootShape, variantShape } from '#entities/product.entity.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import { addonChoices } from './basket.contract.ts';
import { pageResponse, pageSchema } from './listing.contract.ts';
import { guid, name, type CurrencyOf } from '#fields/body-fields.ts';
import { changeBody } from '#fields/bodies.ts';

export const productParams = z.object({ id: guid });
export const variantParams = z.object({ id: guid, variantId: guid });
export const stockRowParams = variantParams.extend({ warehouseId: guid });

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

/** The shipping options that variants are not sent by; no `variantIds` means all of them. */
export const excludeShipping = z.object({
  excludedShippingOptionIds: z.array(guid).max(200),
  variantIds: z.array(guid).min(1).max(2000).optional(),
});

export const shippingExclusionsResponse = pageSchema(
  z.object({
    variantId: z.string(),
    sku: z.string(),
    name: z.string(),
    shippingRestrictionMode: z.string(),
    allowedShippingOptionIds: z.array(z.string()),
    excludedShippingOptionIds: z.array(z.string()),
  }),
);

/** How the variants of a product may be sent, all on one page. */
export const shippingExclusions = (variants: readonly ProductVariant[]) =>
  pageResponse(
    variants.map(
      ({ id, sku, name, shippingRestrictionMode, allowedShippingOptionIds, excludedShippingOptionIds }) => ({
        variantId: id,
        sku,
        name,
        shippingRestrictionMode,
        allowedShippingOptionIds,
        excludedShippingOptionIds,
      }),
    ),
    variants.length,
    { page: 1, pageSize: Math.max(1, variants.length) },
  );

/** What a unit costs with add-ons. */
export const previewAddons = z.object({ addons: addonChoices });

export const addonPreview = z.object({
  variantId: z.string(),
  sku: z.string(),
  currencyCode: z.string(),
  /** Of the variant alone. */
  basePrice: z.number(),
  /** With its add-ons, before tax. */
  price: z.number(),
  costOfGoods: z.number(),
  addons: z.array(
    z.object({
      optionId: z.string(),
      valueId: z.string(),
      name: z.string(),
      sku: z.string(),
      priceAdjustment: z.number(),
      costAdjustment: z.number(),
      weightKg: z.number().nullable(),
    }),
  ),
});

type ProductGiven = z.output<ReturnType<typeof changeProduct>>;
type VariantGiven = z.output<ReturnType<typeof changeVariant>>;
