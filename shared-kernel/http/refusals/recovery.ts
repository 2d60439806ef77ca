import { refusals } from './refusal.ts';

export const recovery = refusals('Abandoned checkouts', {
  'recovery-link-invalid': {
    status: 404,
    when: 'The link leads to no basket: altered, used by someone else, expired, or what it led to was bought or is gone.',
    remedy: 'Send the shopper to the checkout; it shows what they have.',
  },
  'hand-over-link-invalid': {
    status: 404,
    when: 'The link of an agent leads to no basket: altered, or what it led to was bought, given up or has expired.',
    remedy: 'Send the shopper to the checkout; it shows what they have.',
  },
  'unsubscribe-link-invalid': {
    status: 404,
    when: 'The link that ends recovery mails is none of this shop: altered, or not copied whole.',
    remedy: 'Take the whole link from the mail.',
  },
  'abandoned-checkout-not-found': {
    status: 404,
    when: 'There is no such record.',
    remedy: 'Load the list again.',
  },
  'checkout-not-abandoned': {
    status: 400,
    when: 'Only abandoned checkouts with a basket are won back, and mails need an address that wants them; `message` says what is missing.',
    remedy: 'Show the message.',
  },
});
