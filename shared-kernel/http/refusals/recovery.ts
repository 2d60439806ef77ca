import { refusals } from './refusal.ts';

export const recovery = refusals('Abandoned checkouts', {
  'unsubscribe-link-invalid': {
    status: 404,
    when: 'The link that ends recovery mails is none of this shop: altered, or not copied whole.',
    remedy: 'Take the whole link from the mail.',
  },
});
