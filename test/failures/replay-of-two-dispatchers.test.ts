import { expect } from 'chai';
import { at, memoryStores, openWebhooks } from '#test/support/open-webhooks.ts';
import { deliveryIdOf, startReceiver } from '#test/support/subscriber.ts';

describe('Two dispatchers on the same stores', () => {
  it('send what is replayed once, whichever of them queues it, and go on when one of them leaves', async () => {
    const receiver = await startReceiver();
    const stores = memoryStores();
    const options = { stores, isOnlyWriter: false };
    const [one, other] = [await openWebhooks(options), await openWebhooks(options)];
    try {
      const names = Array.from({ length: 200 }, (_, index) => `old ${index}`);
      await one.register(...names);
      const ids = [await one.subscribe(receiver.url), await one.subscribe(receiver.url)];
      await one.settle();
      const wish = { from: at, include: 'missing' } as const;
      const head = await stores.log.head();
      for (const runtime of [one, other]) await runtime.follower.waitFor(head, 5000);
      const [first = '', second = ''] = ids;
      const replays = [
        await one.replays.start(first, wish, 'staff'),
        await other.replays.start(second, wish, 'staff'),
      ];
      await receiver.count(50);
      await one.stop();
      expect(await other.settle()).to.equal(true);
      for (const { _id, subscriptionId } of replays)
        expect(await other.replays.get(subscriptionId, _id)).to.include({ status: 'Completed', queued: 200 });
      expect(new Set(receiver.received.map(deliveryIdOf))).to.have.property('size', 400);
      expect(receiver.received).to.have.length(400);
    } finally {
      await other.stop();
      await receiver.stop();
    }
  });
});
