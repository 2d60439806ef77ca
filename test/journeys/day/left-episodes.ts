import { known } from './known.ts';
import type { Episode } from './day.ts';

const detect = 'detect-abandoned';

export const leftEpisodes: readonly Episode[] = [
  {
    title: 'Flo leaves her checkout for days',
    topics: [
      'checkout.abandoned',
      ...(['checkout.abandoned.first', 'checkout.abandoned.reminder', 'checkout.abandoned.final'] as const),
    ],
    happen: async ({ shop, pass, ids }) => {
      await shop.shopper().prepare(known(ids, 'mug'), 1, 'flo@example.com');
      for (const hours of [1, 1, 24, 48]) await pass(hours, detect);
    },
  },
  {
    title: 'She comes back by the link of the last mail, and buys',
    topics: ['checkout.recovered', 'checkout.converted'],
    happen: async ({ shop, integrator }) => {
      const link = new URL(String(integrator.latest('checkout.abandoned.final')['recoveryLink']), shop.base);
      const flo = shop.shopper();
      await flo.get(`${link.pathname}${link.search}`);
      await flo.initialize();
      const { invoiceId } = (await flo.pay()).body;
      await flo.payWith(invoiceId as string);
    },
  },
];
