import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { seeded } from '../../bench/shopper.ts';
import { useShopOn } from '#test/support/service-processes.ts';
import { onServers } from '#test/support/shared-engines.ts';
import { smallStore, variantId } from '#test/support/small-store.ts';
import { createStormShopper } from '#test/support/storm-shopper.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';

const ROUNDS = Number(process.env['STORM_ROUNDS'] ?? 3);
const SEED = Number(process.env['STORM_SEED'] ?? Date.now() % 1_000_000);
const SHOPPERS = 4;
const CODE = 'STORM';
const topics = ['basket.created', 'basket.updated', 'invoice.created', 'invoice.paid', 'order.created'];
const stock = { tea: null, mug: 100_000, plate: 40, vase: 10 };

/** How long all of them live after they were ready. */
const lifeOf = (random: () => number): number => 50 + random() * 750;

onServers((servers) => {
  describe('F21 with the services apart: a storm of kills', () => {
    let receiver: Receiver;
    const at = useShopOn(() => servers, {
      replicas: { command: 2, projection: 2, dispatcher: 2 },
      storeFile: smallStore({ stock, code: { code: CODE, totalUsageLimit: 25 } }),
    });
    before(async () => {
      receiver = await startReceiver();
      for (const topic of topics) {
        const subscription = { name: topic, topic, targetUrl: receiver.url };
        const { status } = await at.shop.admin.post('/backoffice/api/v1/webhooks', subscription);
        expect(status).to.equal(201);
      }
      await at.shop.settle();
    }).timeout(60_000);
    after(() => receiver.stop());

    it(`loses nothing and doubles nothing in ${ROUNDS} rounds (STORM_SEED=${SEED})`, async () => {
      const { shop } = at;
      const random = seeded(SEED);
      let acknowledged = 0;
      let onAcknowledged = (): void => undefined;
      const shoppers = Array.from({ length: SHOPPERS }, (_, index) =>
        createStormShopper({
          // The other replica serves while one is away: nobody waits.
          shop: { ready: () => Promise.resolve(), shopper: () => shop.shopper() },
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
      const killed: string[] = [];
      for (let round = 0; round < ROUNDS && !isOver; round++) {
        const first = new Promise<void>((resolve) => (onAcknowledged = resolve));
        await Promise.race([shopping, Promise.all([first, pause(lifeOf(random))])]);
        const victim = shop.all[Math.floor(random() * shop.all.length)];
        killed.push(victim?.service ?? '');
        await victim?.kill();
        await victim?.start();
      }
      isOver = true;
      await shopping;

      const baskets = new Map(shoppers.flatMap(({ told }) => [...told.baskets]));
      const paidInvoices = shoppers.flatMap(({ told }) => told.paidInvoices);
      const audit = await shop.audit({ baskets, paidInvoices }, receiver.received);
      const { problems, sales, ...found } = audit;
      console.log(
        `        killed: ${killed.join(', ')}; ${acknowledged} writes acknowledged; ${JSON.stringify({ sales, ...found })}; ${problems.length} problems`,
      );
      expect(problems).to.deep.equal([]);
      expect(sales).to.equal(paidInvoices.length);
      expect(acknowledged).to.be.at.least(ROUNDS);
    }).timeout(90_000 + ROUNDS * 30_000);
  });
});
