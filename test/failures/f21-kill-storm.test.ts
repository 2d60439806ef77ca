import { expect } from 'chai';
import { auditDeliveries } from '#test/support/audit-deliveries.ts';
import { auditLists } from '#test/support/audit-lists.ts';
import { killInRounds, stormStore, stormTopics } from '#test/support/kill-storm.ts';
import { ShopProcess } from '#test/support/shop-process.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';

const ROUNDS = Number(process.env['STORM_ROUNDS'] ?? 10);
const SEED = Number(process.env['STORM_SEED'] ?? Date.now() % 1_000_000);

describe('F21: a storm of kills', () => {
  let shop: ShopProcess;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    shop = await ShopProcess.open({
      storeFile: stormStore,
      env: { ALLOW_LOOPBACK_TARGETS: 'true', Payments__CallbacksPerMinute: '0' },
    });
    for (const topic of stormTopics) await shop.subscribe(topic, receiver.url);
  });
  after(async () => {
    await shop.close();
    await receiver.stop();
  });

  it(`loses nothing and doubles nothing in ${ROUNDS} rounds (STORM_SEED=${SEED})`, async () => {
    const { crowd } = await killInRounds({
      shop,
      money: shop,
      shoppers: 6,
      seed: SEED,
      rounds: ROUNDS,
      victims: [shop],
    });

    await shop.settle();
    const lists = await auditLists(shop.admin);
    const { problems, sales } = await shop.audit(crowd.told);
    const webhooks = await auditDeliveries(shop.dataDir, receiver.received);
    expect([...lists, ...problems, ...webhooks.problems]).to.deep.equal([]);
    expect(sales).to.equal(crowd.told.paidInvoices.length);
    expect(crowd.acknowledged).to.be.at.least(ROUNDS);
  }).timeout(180_000 + ROUNDS * 10_000);
});
