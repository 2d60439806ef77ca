import { z } from 'zod';
import { idOf } from '#values/stream-name.ts';
import { guid, text } from './data-fields.ts';
import { sampleId } from './samples.ts';
import { declareTopics } from './topic.ts';

interface Changed {
  readonly stream: string;
  readonly data: { readonly productName?: string | undefined };
}

const entityType = 'ProductRoot';
const schema = z.strictObject({ id: guid, name: text });

const productNamed = (id: string, name: string) => ({
  entityId: id,
  data: { id, name },
});

/** Once for a request: by the one of its events that says the name. */
const once = ({ stream, data: { productName } }: Changed) =>
  productName === undefined ? null : productNamed(idOf(stream), productName);

const sample = { id: sampleId('product root'), name: 'Mug' };

export const productTopics = declareTopics('Products', {
  'product.created': {
    displayName: 'Product Created',
    description: 'A product is added to the catalogue.',
    ...{ entityType, schema, sample },
    on: { ProductCreated: ({ stream, data }) => productNamed(idOf(stream), data.root.rootName) },
  },
  'product.updated': {
    displayName: 'Product Updated',
    description:
      'A product, its variants, options, prices or stock settings have changed: once for a request. Units that come or go are no such change.',
    ...{ entityType, schema, sample },
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
    ...{ entityType, schema, sample },
    on: { ProductDeleted: once },
  },
});
