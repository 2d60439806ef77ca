import { expect } from 'chai';
import type { EventStore } from '#ports/event-store.ts';
import { DistributedShop, sharedLog, sharedStores } from '#test/support/distributed-shop.ts';
import { Shopper } from '#test/support/shop.ts';

describe('F50 a shop whose reference state is behind', () => {
  it('sells nothing at old prices after a start: 503 until it has read the log, then the price of now', async () => {
    const log = sharedLog();
    const { promise: isSlow, resolve: goOn } = Promise.withResolvers<void>();
    let heldUpFrom = Infinity;
    const slow: EventStore = {
      ...log,
      readAll: async (after, limit) => {
        if (after >= heldUpFrom) await isSlow;
        return log.readAll(after, limit);
      },
    };
    const stores = sharedStores();
    const shop = await DistributedShop.open({ engines: () => Promise.resolve({ ...stores, store: slow }) });
    try {
      const mug = await shop.sell('mug', { price: 10 });
      // Its snapshot has the price of then.
      await shop.stop(await shop.start('command'));
      const kept = await log.head();
      const { items } = (await shop.admin.get('/backoffice/api/v1/products?search=mug')).body;
      const changed = await shop.admin.put(`/backoffice/api/v1/products/${items[0].id}`, { price: 25 });
      expect(changed.status, changed.text).to.equal(200);

      heldUpFrom = kept;
      const starting = await shop.start('command', { isReady: false });
      const shopper = new Shopper(starting.at.base);
      const early = await shopper.add(mug);
      expect([early.status, shopper.cookies.has('shop_basket')]).to.deep.equal([503, false]);
      goOn();
      await starting.runtime.follower.waitFor(await log.head(), 5000);
      const { status, body } = await shopper.add(mug);
      expect([status, body.subTotal]).to.deep.equal([200, 25]);
    } finally {
      goOn();
      await shop.close();
    }
  });
});
