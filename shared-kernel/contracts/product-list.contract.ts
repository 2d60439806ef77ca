import { z } from 'zod';
import { enumFilter, listFields } from './listing.contract.ts';
import { guid } from '#fields/body-fields.ts';

/** The list of products (docs/rules/catalogue.md#list-of-products). */

const filter = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((given) => (given === '' ? undefined : given), schema.optional());

export const productListQuery = z.object({
  ...listFields(),
  productTypeId: filter(guid),
  collectionId: filter(guid),
  /** Of a variant, in any case. */
  sku: filter(z.string().trim()),
  /** Of a variant. */
  filterId: filter(guid),
  /** Of a warehouse that it may be sent from. */
  supplierId: filter(guid),
  /** In any case. */
  tag: filter(z.string().trim().max(250)),
  kind: enumFilter({ physical: 0, digital: 1 }),
});
export type ProductListQuery = z.output<typeof productListQuery>;

/** Of what one warehouse sends: a supplier says nothing more. */
export const warehouseProductsQuery = productListQuery.omit({ supplierId: true });

/** Ids of products or of their variants: repeated, or with commas between them. */
export const productsByIdsQuery = z.object({
  ids: z.preprocess(
    (given) =>
      [given ?? []]
        .flat()
        .flatMap((one) => String(one).split(','))
        .map((id) => id.trim())
        .filter((id) => id !== ''),
    z.array(guid).min(1).max(200),
  ),
});

/** Null where stock is not tracked. */
const availableStock = z.int().nullable();

export const productRow = z.object({
  id: z.string(),
  rootName: z.string(),
  rootUrl: z.string(),
  productTypeId: z.string(),
  productTypeName: z.string().nullable(),
  collectionIds: z.array(z.string()),
  tags: z.array(z.string()),
  isDigitalProduct: z.boolean(),
  variantCount: z.int(),
  priceFrom: z.number(),
  priceTo: z.number(),
  availableStock,
  /** The first image only. */
  images: z.array(z.string()),
  variants: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      sku: z.string(),
      price: z.number(),
      availableForPurchase: z.boolean(),
      availableStock,
    }),
  ),
  dateCreated: z.string(),
  dateUpdated: z.string(),
});
export type ProductRow = z.output<typeof productRow>;

/** Of what staff add to an order: `query` is another name of `search`. */
export const productAutocompleteQuery = z.object({
  search: z.string().trim().max(250).optional(),
  query: z.string().trim().max(250).optional(),
  limit: listFields(10, 25).pageSize,
});

/** One a variant. */
export const productSuggestions = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      productId: z.string(),
      productRootId: z.string(),
      rootName: z.string(),
      name: z.string(),
      sku: z.string(),
      price: z.number(),
      availableForPurchase: z.boolean(),
      availableStock,
      isDigitalProduct: z.boolean(),
      image: z.string().nullable(),
    }),
  ),
});
