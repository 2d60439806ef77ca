import { sampleId } from './samples.ts';
import { declareTopics } from './topic.ts';

const named = { id: sampleId('discount'), name: 'Ten per cent off', code: 'WELCOME10' };
const active = { ...named, category: 'AmountOffOrder', status: 'Active' };

export const discountTopics = declareTopics('Discounts', {
  'discount.created': {
    displayName: 'Discount Created',
    description: 'A discount is created.',
    sample: active,
  },
  'discount.updated': {
    displayName: 'Discount Updated',
    description: 'The rule or the status of a discount has changed.',
    sample: { ...active, status: 'Disabled' },
  },
  'discount.deleted': {
    displayName: 'Discount Deleted',
    description: 'A discount is deleted.',
    sample: named,
  },
});
