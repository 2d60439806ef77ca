import { z } from 'zod';
import { rootShape, variantShape } from '#entities/product.entity.ts';
import { changeBody, guid, name, type CurrencyOf } from './management.contract.ts';

export const productParams = z.object({ id: guid });
export const variantParams = z.object({ id: guid, variantId: guid });

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
