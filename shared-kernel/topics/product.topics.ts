import { sampleId } from './samples.ts';
import { declareTopics } from './topic.ts';

const sample = { id: sampleId('product root'), name: 'Mug' };

export const productTopics = declareTopics('Products', {
  'product.created': {
    displayName: 'Product Created',
    description: 'A product is added to the catalogue.',
    sample,
  },
  'product.updated': {
    displayName: 'Product Updated',
    description: 'A product, a variant, its options or prices have changed.',
    sample,
  },
  'product.deleted': {
    displayName: 'Product Deleted',
    description: 'A product is taken out of the catalogue.',
    sample,
  },
});
