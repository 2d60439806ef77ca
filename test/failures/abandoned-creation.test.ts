import { expect } from 'chai';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { holds } from '#test/support/faults.ts';
import type { ShopAt } from '#test/support/shop.ts';

const base = '/backoffice/api/v1';

const kinds = [
  {
    noun: 'product',
    path: '/products',
    created: 'ProductCreated',
    field: 'sku',
    body: (name: string) => ({ rootName: name, sku: 'MUG', price: 10 }),
  },
  {
    noun: 'warehouse',
    path: '/warehouses',
    created: 'WarehouseCreated',
    field: 'code',
    body: (name: string) => ({ name, code: 'MUG', address: { countryCode: 'GB' } }),
  },
];

/** docs/architecture.md#uniqueness */
describe('a creation that stalls after it has claimed its values', () => {
  const { log, open } = sharedMemory();
  let shop: DistributedShop;

  before(async () => {
    shop = await DistributedShop.open({ engines: open, replicas: { command: 2 } });
  });
  after(() => shop.close());

  const advance = (advanceSeconds: number) => shop.tester.post('/testing/clock', { advanceSeconds });

  for (const { noun, path, created, field, body } of kinds) {
    const make = (name: string, at: ShopAt | undefined = shop.replicas('command')[1]?.at) =>
      (at ?? shop).admin.post(`${base}${path}`, body(name));

    it(`loses them to the next ${noun} after a minute, and is refused when it comes after all`, async () => {
      const { promise: stalled, resolve: stall } = Promise.withResolvers<void>();
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      log.runBefore('append', holds(created), () => {
        stall();
        return held;
      });
      const late = make('late', shop.replicas('command')[0]?.at);
      await stalled;

      await advance(59);
      const early = await make('early');
      expect(early.status).to.equal(409);
      expect(early.body.message).to.include(field);

      await advance(2);
      const next = await make('next');
      expect(next.status, JSON.stringify(next.body)).to.equal(201);

      release();
      expect((await late).status).to.equal(409);
      await shop.settle();
      const { body: kept } = await shop.admin.get(`${base}${path}?search=MUG`);
      expect((kept.items as { id: string }[]).map(({ id }) => id)).to.deep.equal([next.body.id]);
    });
  }
});
