import { idOf } from '#values/stream-name.ts';
import { sampleId } from './samples.ts';
import { declareTopics, type Announcement } from './topic.ts';

interface Changed {
  readonly stream: string;
  readonly data: { readonly productName?: string | undefined };
}

const productNamed = (id: string, name: string): Announcement => ({
  entityType: 'ProductRoot',
  entityId: id,
  data: { id, name },
});

/** Once for a request: by the one of its events that says the name. */
const once = ({ stream, data: { productName } }: Changed): Announcement | null =>
  productName === undefined ? null : productNamed(idOf(stream), productName);

const sample = { id: sampleId('product root'), name: 'Mug' };

export const productTopics = declareTopics('Products', {
  'product.created': {
    displayName: 'Product Created',
    description: 'A product is added to the catalogue.',
    sample,
    on: { ProductCreated: ({ stream, data }) => productNamed(idOf(stream), data.root.rootName) },
  },
  'product.updated': {
    displayName: 'Product Updated',
    description:
      'A product, a variant, its options, prices or stock settings have changed: once for a request.',
    sample,
    on: {
      ProductDetailsChanged: once,
      ProductVariantAdded: once,
      ProductVariantChanged: once,
      ProductVariantRemoved: once,
      ProductVariantsGenerated: once,
      ProductVariantsRemoved: once,
      ReorderPointChanged: ({ data: { product } }) =>
        product === undefined ? null : productNamed(product.id, product.name),
      StockRowChanged: ({ data: { product } }) =>
        product === undefined ? null : productNamed(product.id, product.name),
    },
  },
  'product.deleted': {
    displayName: 'Product Deleted',
    description: 'A product is taken out of the catalogue.',
    sample,
    on: { ProductDeleted: once },
  },
});
