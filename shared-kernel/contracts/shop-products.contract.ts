import { z } from 'zod';
import { productSorts } from '#values/product-sort.ts';
import { pageSchema } from './listing.contract.ts';
import { storefrontEnvelope } from './storefront.contract.ts';

/** Products as shoppers see them (docs/rules/catalogue.md#products-for-shoppers, docs/rules/search.md). */

const MAX_PAGE_SIZE = 100;
const MAX_PAGE = 1_000_000;

const counted = (fallback: number, maximum: number) =>
  z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .default(fallback)
    .transform((value) => Math.min(Math.max(value, 1), maximum));

const orNothing = (given: unknown): unknown => (given === '' ? undefined : given);
const text = z.preprocess(orNothing, z.string().trim().max(250).optional());
const amount = z.preprocess(
  orNothing,
  z.coerce.number('must be an amount').min(0, 'must be an amount from 0').max(1e12).optional(),
);
const repeated = z.preprocess(
  (given) => (given === undefined || given === '' ? [] : [given].flat()),
  z.array(z.string().trim().toLowerCase().max(100)).max(50),
);

const listed = z.preprocess(
  (given) => (given === undefined ? [] : [given].flat().flatMap((one) => String(one).split(','))),
  z.array(z.string().trim().max(100)).max(50),
);

export const shopProductsQuery = z.object({
  search: text,
  /** Slug or id. */
  collection: text,
  /** Alias or id. */
  productType: text,
  tag: text,
  minPrice: amount,
  maxPrice: amount,
  filter: repeated,
  availableOnly: z.preprocess(orNothing, z.stringbool('must be true or false').default(false)),
  /** `true`: all; or some by name, groups of filters by id. */
  facets: listed,
  sort: z.preprocess(
    orNothing,
    z.enum(productSorts, `must be one of ${productSorts.join(', ')}`).default('relevance'),
  ),
  page: counted(1, MAX_PAGE),
  pageSize: counted(24, MAX_PAGE_SIZE),
});
export type ShopProductsQuery = z.output<typeof shopProductsQuery>;

export const shopProductParams = z.object({ idOrUrl: z.string().trim().toLowerCase().max(250) });

const shopFilter = z.object({
  id: z.string(),
  name: z.string(),
  filterGroupId: z.string(),
  filterGroupName: z.string(),
});
export type ShopFilter = z.output<typeof shopFilter>;

const shopCard = z.object({
  productRootId: z.string(),
  name: z.string(),
  url: z.string(),
  image: z.string().nullable(),
  /** The first three. */
  images: z.array(z.string()),
  productTypeName: z.string().nullable(),
  priceFrom: z.number(),
  priceTo: z.number(),
  formattedPrice: z.string(),
  /** What the cheapest variant cost before. */
  previousPrice: z.number().nullable(),
  formattedPreviousPrice: z.string().nullable(),
  onSale: z.boolean(),
  isAvailable: z.boolean(),
  filterIds: z.array(z.string()),
  filters: z.array(shopFilter),
});
export type ShopCard = z.output<typeof shopCard>;

const currencyFields = {
  currencyCode: z.string(),
  currencySymbol: z.string(),
  displayPricesIncTax: z.boolean(),
};

/** How many products are found if this is chosen beside the rest of what is. */
const choice = { count: z.int(), isSelected: z.boolean() };

const shopFacets = z.object({
  filterGroups: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        filters: z.array(
          z.object({
            id: z.string(),
            name: z.string(),
            hexColour: z.string().nullable(),
            image: z.string().nullable(),
            ...choice,
          }),
        ),
      }),
    )
    .optional(),
  /** Null where nothing is found at any price. */
  price: z
    .object({
      min: z.number(),
      max: z.number(),
      formattedMin: z.string(),
      formattedMax: z.string(),
    })
    .nullable()
    .optional(),
  availability: z.object({ available: z.int(), unavailable: z.int() }).optional(),
  collections: z
    .array(z.object({ id: z.string(), name: z.string(), slug: z.string(), ...choice }))
    .optional(),
  productTypes: z
    .array(z.object({ id: z.string(), name: z.string(), alias: z.string(), ...choice }))
    .optional(),
  tags: z.array(z.object({ name: z.string(), ...choice })).optional(),
});
export type ShopFacets = z.output<typeof shopFacets>;

export const shopProductsResponse = pageSchema(shopCard).extend({
  ...storefrontEnvelope,
  ...currencyFields,
  facets: shopFacets.optional(),
});

const shopOption = z.object({
  id: z.string(),
  name: z.string(),
  alias: z.string(),
  sortOrder: z.int(),
  optionTypeAlias: z.string().nullable(),
  optionUiAlias: z.string().nullable(),
});
const shopOptionValue = z.object({
  id: z.string(),
  name: z.string(),
  fullName: z.string(),
  sortOrder: z.int(),
  hexValue: z.string().nullable(),
  mediaKey: z.string().nullable(),
});

const shopVariant = z.object({
  productId: z.string(),
  sku: z.string(),
  name: z.string(),
  url: z.string(),
  isDefault: z.boolean(),
  selectedOptions: z.array(z.object({ optionName: z.string(), valueName: z.string() })),
  /** The first that it is shown with. */
  image: z.string().nullable(),
  images: z.array(z.string()),
  filterIds: z.array(z.string()),
  filters: z.array(shopFilter),
  price: z.number(),
  formattedPrice: z.string(),
  previousPrice: z.number().nullable(),
  formattedPreviousPrice: z.string().nullable(),
  onSale: z.boolean(),
  priceIncludesTax: z.boolean(),
  taxRate: z.number(),
  taxAmount: z.number(),
  availability: z.object({
    canShipToLocation: z.boolean(),
    hasStock: z.boolean(),
    availableStock: z.int(),
    showStockLevels: z.boolean(),
    statusMessage: z.string(),
  }),
});

export const shopProductResponse = z.object({
  ...storefrontEnvelope,
  ...currencyFields,
  ...shopCard.shape,
  description: z.string().nullable(),
  metaDescription: z.string().nullable(),
  pageTitle: z.string().nullable(),
  images: z.array(z.string()),
  tags: z.array(z.string()),
  collections: z.array(z.object({ id: z.string(), name: z.string(), slug: z.string() })),
  isDigitalProduct: z.boolean(),
  options: z.array(shopOption.extend({ values: z.array(shopOptionValue) })),
  addOns: z.array(
    shopOption.extend({
      isMultiSelect: z.boolean(),
      isRequired: z.boolean(),
      values: z.array(
        shopOptionValue.extend({ priceAdjustment: z.number(), formattedPriceAdjustment: z.string() }),
      ),
    }),
  ),
  variants: z.array(shopVariant),
});
export type ShopProduct = z.output<typeof shopProductResponse>;

export const shopCollectionsResponse = pageSchema(
  z.object({ id: z.string(), name: z.string(), slug: z.string(), productCount: z.int() }),
).extend(storefrontEnvelope);
