import { refusals } from './refusal.ts';

export const baskets = refusals('Baskets', {
  'product-not-found': {
    status: 400,
    when: 'There is no such variant.',
    remedy: 'Take the product off the page.',
  },
  'product-not-purchasable': {
    status: 400,
    when: 'The product is not for sale at the moment.',
    remedy: 'Show it as not available.',
  },
  'out-of-stock': {
    status: 400,
    when: 'More is wanted than there is: `requestedQuantity`, `availableQuantity`.',
    remedy: 'Offer what is available.',
  },
  'quantity-too-large': {
    status: 400,
    when: 'A line or a warehouse holds at most what `message` says.',
    remedy: 'Ask for less.',
  },
  'amount-too-large': {
    status: 400,
    when: 'An amount would be larger than the shop can count exactly; `limit` is the largest.',
    remedy: 'Take something out, or split the order.',
  },
  'basket-full': {
    status: 400,
    when: 'The basket holds as many lines as it may.',
    remedy: 'Take a line out first.',
  },
  'add-on-invalid': {
    status: 400,
    when: 'The product is not sold with these add-ons; `message` says which.',
    remedy: 'Load the options of the product again.',
  },
  'basket-not-found': {
    status: 400,
    when: 'There is no basket, or it is empty.',
    remedy: 'Add a product first.',
  },
  'line-not-found': {
    status: 400,
    when: 'The basket has no such line.',
    remedy: 'Load the basket again.',
  },
  'line-is-add-on': {
    status: 400,
    when: 'The line is an add-on and goes with its product.',
    remedy: 'Change the line of the product.',
  },
  'line-is-discount': {
    status: 400,
    when: 'The line is a discount, which has no quantity.',
    remedy: 'Take the discount off instead.',
  },
  'currency-not-available': {
    status: 400,
    when: 'The shop has no rate for this currency, or cannot show the basket in it.',
    remedy: 'Offer the currencies of the shop.',
  },
});
