import { productAfter, type ProductChanges, type ProductParts } from '#entities/product-parts.ts';
import type { ProductEvent, ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import { projection, remove } from '#kernel/projection.ts';
import { idOf, streamOf } from '#values/stream-name.ts';
import { searchTextOf } from '#values/search.ts';
import { entityIndexes, type EntityDocument } from '../../entity-document.ts';

/** A product with all its variants. Prices in minor units of the store's currency. */
export interface ProductDocument extends EntityDocument<ProductRoot> {
  readonly variants: readonly ProductVariant[];
  readonly priceFrom: number;
  readonly priceTo: number;
  /** In lower case. */
  readonly skus: readonly string[];
  /** In lower case. */
  readonly tags: readonly string[];
  /** Those of its variants. */
  readonly filterIds: readonly string[];
  /** Where it may be sent from: ids, `anyWarehouse`, or nothing where it is digital. */
  readonly warehouseIds: readonly string[];
}

/** Stands for all warehouses, also those to come, where neither the product nor its stock names any. */
export const anyWarehouse = 'any';

/** The warehouses that a variant may be sent from (docs/rules/inventory.md#which-warehouse-sends). */
const warehousesOf = ({ warehouses }: ProductRoot, { stockRows }: ProductVariant): readonly string[] => {
  const stocked = stockRows.map(({ warehouseId }) => warehouseId);
  const assigned = warehouses.map(({ warehouseId }) => warehouseId);
  if (assigned.length === 0) return stocked.length === 0 ? [anyWarehouse] : stocked;
  return stocked.length === 0 ? assigned : assigned.filter((id) => stocked.includes(id));
};

const distinct = (ids: readonly string[]): readonly string[] => [...new Set(ids)];

/** The document with everything that follows from root and variants. */
const product = (
  { _id, dateCreated }: Pick<ProductDocument, '_id' | 'dateCreated'>,
  { root, variants }: ProductParts,
  dateUpdated: string,
): ProductDocument => {
  const prices = variants.map(({ price }) => price);
  const skus = variants.map(({ sku }) => sku);
  return {
    _id,
    dateCreated,
    dateUpdated,
    fields: root,
    variants,
    priceFrom: prices.length === 0 ? 0 : Math.min(...prices),
    priceTo: prices.length === 0 ? 0 : Math.max(...prices),
    skus: skus.map((sku) => sku.toLowerCase()),
    tags: root.tags.map((tag) => tag.toLowerCase()),
    filterIds: distinct(variants.flatMap(({ filterIds }) => filterIds)),
    warehouseIds: root.isDigitalProduct
      ? []
      : distinct(variants.flatMap((variant) => warehousesOf(root, variant))),
    searchText: searchTextOf([root.rootName, ...variants.map(({ name }) => name), ...skus]),
  };
};

const changed =
  <Type extends keyof ProductChanges>(type: Type) =>
  (
    document: ProductDocument | null,
    { data }: { readonly data: ProductChanges[Type] },
  ): ProductDocument | null =>
    document &&
    product(
      document,
      productAfter[type]({ root: document.fields, variants: document.variants }, data),
      data.at,
    );

/** Products by root id. */
export const productListProjection = projection<ProductEvent>()<ProductDocument>({
  name: 'products',
  version: 5,
  indexes: [...entityIndexes, { fields: ['fields.productTypeId'] }],
  keys: (event) => [idOf(event.stream)],
  streamOf: streamOf.product,
  on: {
    ProductCreated: (_document, { data: { root, variants, at } }, key) =>
      product({ _id: key, dateCreated: at }, { root, variants }, at),
    ProductDetailsChanged: changed('ProductDetailsChanged'),
    ProductVariantAdded: changed('ProductVariantAdded'),
    ProductVariantChanged: changed('ProductVariantChanged'),
    ProductVariantRemoved: changed('ProductVariantRemoved'),
    ProductVariantsGenerated: changed('ProductVariantsGenerated'),
    ProductVariantsRemoved: changed('ProductVariantsRemoved'),
    ProductDeleted: () => remove,
  },
});
