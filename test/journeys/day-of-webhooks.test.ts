import { expect } from 'chai';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { TestShop, type ShopAt } from '#test/support/shop.ts';
import { namedTopics } from '#topics/topics.ts';
import { beDownForADay } from './day/down-for-a-day.ts';
import { dayEnvironment, liveADay } from './day/live-a-day.ts';
import { openDownloads } from './purchases/download-purchases.ts';

/** docs/webhook-topics.md */
describe('A day in the life of a shop', () => {
  const files = openDownloads();
  after(() => files.remove());

  const tellsEverything = async (shop: ShopAt): Promise<void> => {
    const arrived = await liveADay(shop);
    expect(new Set(arrived.map(({ topic }) => topic))).to.deep.equal(new Set(namedTopics.keys()));
    // Each thing happens once in its episode: once is how often it is told.
    expect(
      arrived.filter(({ count }) => count !== 1).map(({ topic, count }) => [topic, count]),
    ).to.deep.equal([]);
    const told = new Map(arrived.map(({ topic, data }) => [topic, data]));
    expect(told.get('inventory.adjusted')).to.include({ previousStock: 0, newStock: 10, reason: 'admin' });
    expect(told.get('inventory.low_stock')).to.include({ currentStock: 7, threshold: 8 });
    expect(told.get('order.status_changed')).to.include({ newStatus: 'ReadyToFulfill' });
    expect(told.get('shipment.updated')).to.include({ status: 'Shipped', previousStatus: 'Preparing' });
    expect(told.get('invoice.refunded')).to.include({ refundAmount: 5, refundReason: 'Chipped' });
    // She was forgotten.
    expect(told.get('customer.deleted')).to.include({ email: null });
    for (const { topic, isSigned, isStandard, misfits } of arrived)
      expect({ topic, isSigned, isStandard, misfits }).to.deep.equal({
        ...{ topic, isSigned: true, isStandard: true, misfits: [] },
      });
  };

  it('sets off every topic through its endpoints; each arrives signed, and as its schema says', async () => {
    const shop = await TestShop.open({ environment: dayEnvironment(files.dataDir) });
    try {
      await tellsEverything(shop);
    } finally {
      await shop.close();
    }
  });

  it('does so with the services apart, two dispatchers among them', async () => {
    const shop = await DistributedShop.open({
      engines: sharedMemory().open,
      replicas: { dispatcher: 2 },
      environment: dayEnvironment(files.dataDir),
    });
    try {
      await tellsEverything(shop);
    } finally {
      await shop.close();
    }
  });

  it('may pass without a receiver, which has all that it missed after a replay, under the same ids', async () => {
    const shop = await TestShop.open({ environment: dayEnvironment(files.dataDir) });
    try {
      expect(await beDownForADay(shop)).to.deep.equal({
        ...{ sales: 3, refused: 15, givenUp: 3, replayed: 3, isWhole: true },
      });
    } finally {
      await shop.close();
    }
  });
});
