import type { ProductEvent, ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import { projection, remove } from '#kernel/projection.ts';
import { idOf } from '#values/stream-name.ts';
import { entityIndexes, searchTextOf, type EntityDocument } from '../../entity-document.ts';

/** A product with all its variants. Prices in minor units of the store's currency. */
export interface ProductDocument extends EntityDocument<ProductRoot> {
  readonly variants: readonly ProductVariant[];
  readonly priceFrom: number;
  readonly priceTo: number;
  /** In lower case. */
  readonly skus: readonly string[];
}

/** The document with everything that follows from root and variants. */
const product = (
  { _id, dateCreated }: Pick<ProductDocument, '_id' | 'dateCreated'>,
  root: ProductRoot,
  variants: readonly ProductVariant[],
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
    searchText: searchTextOf([root.rootName, ...variants.map(({ name }) => name), ...skus]),
  };
};

/** Products by root id. */
export const productListProjection = projection<ProductEvent>()<ProductDocument>({
  name: 'products',
  version: 1,
  indexes: [...entityIndexes, { fields: ['fields.productTypeId'] }],
  keys: (event) => [idOf(event.stream)],
  on: {
    ProductCreated: (_document, { data: { root, variants, at } }, key) =>
      product({ _id: key, dateCreated: at }, root, variants, at),
    ProductDetailsChanged: (document, { data: { root, at } }) =>
      document && product(document, root, document.variants, at),
    ProductVariantAdded: (document, { data: { variant, at } }) =>
      document && product(document, document.fields, [...document.variants, variant], at),
    ProductVariantChanged: (document, { data: { variant, at } }) => {
      if (!document) return null;
      const variants = document.variants.map((known) => (known.id === variant.id ? variant : known));
      return product(document, document.fields, variants, at);
    },
    ProductVariantRemoved: (document, { data: { variantId, at } }) => {
      if (!document) return null;
      const variants = document.variants.filter(({ id }) => id !== variantId);
      return product(document, document.fields, variants, at);
    },
    ProductDeleted: () => remove,
  },
});
