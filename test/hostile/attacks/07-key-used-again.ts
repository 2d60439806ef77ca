import { expectStatus, finding, management, must, storefront, unique, type Attack } from '../attack.ts';

const DAYS_3 = 3 * 24 * 60 * 60;

/** Uses an idempotency key for something else, once its first answer has been forgotten. */
export const attack: Attack = {
  title: 'a key used again after 48 h with another body',
  before: 'answered success and did nothing; 201 with the old entity in the backoffice',
  kind: 'own',
  run: async ({ shop, own }) => {
    const one = await shop.sell(unique('ONE'), { price: 1 });
    const other = await shop.sell(unique('OTHER'), { price: 2 });
    const basketKey = { 'Idempotency-Key': unique('basket') };
    const officeKey = { 'Idempotency-Key': unique('office') };
    const shopper = shop.shopper();
    // A first add has no cookie yet, and so no caller who could own a key.
    must('add', await shopper.add(one));
    const add = (productId: string) =>
      shopper.post(`${storefront}/basket/add`, { productId, quantity: 1 }, basketKey);
    const found = (name: string) =>
      shop.admin.post(`${management}/tax-groups`, { name, taxPercentage: 1 }, officeKey);
    must('add', await add(one));
    const name = unique('First');
    must('tax group', await found(name));
    await own?.advance(DAYS_3);
    return finding('409 in both', [
      ...expectStatus('basket', await add(other), 409),
      ...expectStatus('backoffice', await found(unique('Second')), 409),
    ]);
  },
};
