import { expect } from 'chai';
import { HOUSE_KEY, startFulfilmentHouse, type FulfilmentHouse } from '#test/support/fulfilment-house.ts';
import { MortalShop } from '#test/support/mortal-shop.ts';
import type { Death } from '#test/support/shop-process.ts';

const management = '/backoffice/api/v1';

/** docs/rules/fulfilment.md#once */
describe('a shop that is killed while it hands an order to its provider', function () {
  this.timeout(30_000);
  let shop: MortalShop;
  let house: FulfilmentHouse;
  beforeEach(async () => {
    house = await startFulfilmentHouse();
    shop = await MortalShop.open({ ALLOW_LOOPBACK_TARGETS: 'true' });
    const configuration = { baseUrl: house.url, apiKey: HOUSE_KEY, timeoutSeconds: 1 };
    const provider = await shop.admin.post(`${management}/fulfilment-providers`, {
      providerKey: 'generic-http',
      configuration,
    });
    const warehouses = await shop.admin.get(`${management}/warehouses`);
    await shop.admin.put(`${management}/warehouses/${warehouses.body.items[0].id}`, {
      fulfilmentProviderConfigurationId: provider.body.id,
    });
  });
  afterEach(async () => {
    await shop.close();
    await house.close();
  });

  const types = async (): Promise<readonly string[]> =>
    (await shop.engines.store.readAll(0, 1000)).map(({ type }) => type);
  const count = async (type: string): Promise<number> => (await types()).filter((one) => one === type).length;

  for (const [what, death] of [
    ['before it says that it asks', { when: 'before', eventType: 'FulfilmentSubmissionAttempted' }],
    ['before it asks', { when: 'after', eventType: 'FulfilmentSubmissionAttempted' }],
    ['between the answer and its record', { when: 'before', eventType: 'FulfilmentSubmitted' }],
    ['once it is recorded', { when: 'after', eventType: 'FulfilmentSubmitted' }],
  ] satisfies readonly (readonly [string, Death])[])
    it(`${what}, has it there once, under one key`, async () => {
      const mug = await shop.sell('mug', { price: 10, stock: 5 });
      await shop.live(death);
      const shopper = shop.shopper();
      await shopper.prepare(mug);
      const { invoiceId } = (await shopper.pay()).body;
      await shop.dieAfter(shopper.payWith(invoiceId));
      await shop.live();
      await shop.settle();
      expect(house.orders).to.have.length(1);
      expect(new Set(house.requests.map(({ headers }) => headers['idempotency-key'])).size).to.equal(1);
      expect(await count('FulfilmentSubmitted')).to.equal(1);
      expect(await count('FulfilmentSubmissionAttempted')).to.equal(1);
      expect((await shop.audit()).problems).to.deep.equal([]);
    });
});
