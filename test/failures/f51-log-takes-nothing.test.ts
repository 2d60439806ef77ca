import { expect } from 'chai';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { EventStore } from '#ports/event-store.ts';
import { faultyEventStore } from '#test/support/faults.ts';
import { TestShop } from '#test/support/shop.ts';

describe('F51 a log that takes nothing', () => {
  it('is no readiness, from the first append that fails until one succeeds', async () => {
    const disk = { isFull: false };
    const shop = await TestShop.open({
      wrapStore: (store): EventStore => ({
        ...faultyEventStore(store),
        append: (...append) =>
          disk.isFull
            ? Promise.reject(new EngineUnavailable('database or disk is full'))
            : store.append(...append),
      }),
    });
    try {
      const mug = await shop.sell('mug', { price: 10 });
      const ready = async () => (await shop.admin.get('/health/ready')).body;
      const shopper = shop.shopper();
      expect((await ready()).status).to.equal('ready');
      disk.isFull = true;
      const added = shopper.add(mug);
      for (let body = await ready(); ; body = await ready())
        if (body.status !== 'ready') {
          const reason = 'the last append failed: database or disk is full';
          expect(body.reasons).to.deep.equal([{ name: 'appends', reason }]);
          break;
        }
      disk.isFull = false;
      expect((await added).status).to.equal(200);
      expect((await ready()).status).to.equal('ready');
    } finally {
      await shop.close();
    }
  });
});
