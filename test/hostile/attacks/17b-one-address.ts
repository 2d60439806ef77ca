import type { ApiResponse } from '../../support/browser.ts';
import { ShopProcess } from '../../support/shop-process.ts';
import { checkout, finding, must, storefront, unique, type Attack } from '../attack.ts';

/** Twice as much as an address may make in a minute, and how often it may. */
const kinds = { baskets: 60, customers: 10, keys: 120, clicks: 600 } as const;
const CLICKS_TOLD_AT_ONCE = 100;

const passed = (answers: readonly ApiResponse[]): number =>
  answers.filter(({ status }) => status < 300).length;

/** Makes from one address whatever is kept. */
export const attack: Attack = {
  title: 'fill the disk from one address',
  before: '23,212 baskets (362 MB) in 60 s, kept for ever; 68 requests left 46,000 false clicks',
  kind: 'own',
  run: async () => {
    // With the limits as they are by default: the other rows make more than that.
    const shop = await ShopProcess.open({
      env: {
        Checkout__NewCustomersPerMinute: undefined,
        Store__newBasketsPerMinute: undefined,
        Storefront__KeptAnswersPerMinute: undefined,
      },
    });
    try {
      await shop.furnish();
      const productId = await shop.sell(unique('FLOOD'), { price: 5 });
      const made = must(
        'an upsell',
        await shop.admin.post('/backoffice/api/v1/upsells', {
          ...{ name: unique('flood'), heading: 'Goes well with it', status: 'Active' },
          triggerRules: [{ triggerType: 'SpecificProducts', triggerIds: [productId] }],
          recommendationRules: [{ recommendationType: 'SpecificProducts', ids: [productId] }],
        }),
      );
      const many = (count: number, send: (at: number) => Promise<ApiResponse>) =>
        Promise.all(Array.from({ length: count }, (_, at) => send(at)));
      const shopper = shop.shopper();
      const post = (path: string, body: object) => shopper.post(path, body);
      const attempts: Readonly<Record<keyof typeof kinds, () => Promise<number>>> = {
        customers: async () => {
          await shopper.add(productId);
          const some = await many(2 * kinds.customers, (at) =>
            shopper.giveAddress(`${unique(`x${at}`)}@example.com`),
          );
          return passed(some);
        },
        keys: async () => {
          const add = (at: number) =>
            post(`${storefront}/basket/add`, { productId, quantity: 1, idempotencyKey: unique(`k${at}`) });
          return passed(await many(2 * kinds.keys, add));
        },
        clicks: async () => {
          const event = {
            upsellRuleId: made.id as string,
            eventType: 'Click',
            displayLocation: 'Basket',
            productId,
          };
          const events = Array.from({ length: CLICKS_TOLD_AT_ONCE }, () => event);
          const calls = (2 * kinds.clicks) / CLICKS_TOLD_AT_ONCE;
          const told = await many(calls, () => post(`${storefront}/upsells/events`, { events }));
          return passed(told) * CLICKS_TOLD_AT_ONCE;
        },
        baskets: async () => passed(await many(2 * kinds.baskets, () => shop.shopper().add(productId))),
      };
      const complaints: string[] = [];
      const told: string[] = [];
      for (const kind of ['customers', 'keys', 'clicks', 'baskets'] as const) {
        const count = await attempts[kind]();
        told.push(`${count} ${kind}`);
        if (count === 0 || count > kinds[kind]) complaints.push(`${count} ${kind} in a minute`);
      }
      const honest = await shopper.post(`${checkout}/initialize`, {});
      if (honest.status >= 500) complaints.push(`a checkout that is there: ${honest.status}`);
      return finding(`${told.join(', ')} of twice as many, then 429`, complaints);
    } finally {
      await shop.close();
    }
  },
};
