import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { seeded } from '../../bench/shopper.ts';
import { auditDeliveries } from '#test/support/audit-deliveries.ts';
import { ShopProcess } from '#test/support/shop-process.ts';
import { smallStore, variantId } from '#test/support/small-store.ts';
import { createStormShopper } from '#test/support/storm-shopper.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';

const ROUNDS = Number(process.env['STORM_ROUNDS'] ?? 10);
const SEED = Number(process.env['STORM_SEED'] ?? Date.now() % 1_000_000);
const SHOPPERS = 6;
const CODE = 'STORM';
const topics = ['basket.created', 'basket.updated', 'invoice.created', 'invoice.paid', 'order.created'];
const stock = { tea: null, mug: 100_000, plate: 40, vase: 10 };

/** How long a shop lives after it was ready. */
const lifeOf = (random: () => number): number => 50 + random() * 750;

describe('F21: a storm of kills', () => {
  let shop: ShopProcess;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    shop = await ShopProcess.open({
      storeFile: smallStore({ stock, code: { code: CODE, totalUsageLimit: 25 } }),
      env: { ALLOW_LOOPBACK_TARGETS: 'true' },
    });
    for (const topic of topics) {
      const subscription = { name: topic, topic, targetUrl: receiver.url };
      const { status } = await shop.admin.post('/backoffice/api/v1/webhooks', subscription);
      expect(status).to.equal(201);
    }
  }).timeout(60_000);
  after(async () => {
    await shop.close();
    await receiver.stop();
  });

  it(`loses nothing and doubles nothing in ${ROUNDS} rounds (STORM_SEED=${SEED})`, async () => {
    const random = seeded(SEED);
    let acknowledged = 0;
    let onAcknowledged = (): void => undefined;
    const shoppers = Array.from({ length: SHOPPERS }, (_, index) =>
      createStormShopper({
        shop,
        name: `shopper-${index}`,
        productIds: Object.keys(stock).map(variantId),
        plenty: variantId('tea'),
        code: CODE,
        random: seeded(SEED + index + 1),
        onAcknowledged: () => {
          acknowledged++;
          onAcknowledged();
        },
      }),
    );
    let isOver = false;
    const shopping = Promise.all(shoppers.map(({ shopUntil }) => shopUntil(() => isOver)));
    // A shopper's complaint ends the storm at once, below.
    shopping.catch(() => (isOver = true));
    for (let round = 0; round < ROUNDS && !isOver; round++) {
      const first = new Promise<void>((resolve) => (onAcknowledged = resolve));
      await Promise.race([shopping, Promise.all([first, pause(lifeOf(random))])]);
      await shop.kill();
      await shop.start();
    }
    isOver = true;
    await shopping;

    const baskets = new Map(shoppers.flatMap(({ told }) => [...told.baskets]));
    const paidInvoices = shoppers.flatMap(({ told }) => told.paidInvoices);
    const { problems, sales } = await shop.audit({ baskets, paidInvoices });
    const webhooks = await auditDeliveries(shop.dataDir, receiver.received);
    expect([...problems, ...webhooks.problems]).to.deep.equal([]);
    expect(sales).to.equal(paidInvoices.length);
    expect(acknowledged).to.be.at.least(ROUNDS);
  }).timeout(30_000 + ROUNDS * 10_000);
});
