import { expect } from 'chai';
import { givenEventStore } from '#test/support/given-event-store.ts';
import { killInRounds, stormStore, stormTopics } from '#test/support/kill-storm.ts';
import { useShopOn } from '#test/support/service-processes.ts';
import { onServers } from '#test/support/shared-engines.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';

const ROUNDS = Number(process.env['STORM_ROUNDS'] ?? 3);
const SEED = Number(process.env['STORM_SEED'] ?? Date.now() % 1_000_000);

onServers((servers) => {
  describe(`F21 with ${servers === 'embedded' ? 'the log on a server' : 'the services apart'}: a storm of kills`, () => {
    let receiver: Receiver;
    const at = useShopOn(() => servers, {
      replicas: { command: 2, projection: 2, dispatcher: 2 },
      storeFile: stormStore,
      env: { Payments__CallbacksPerMinute: '0' },
    });
    before(async () => {
      receiver = await startReceiver();
      for (const topic of stormTopics) await at.shop.subscribe(topic, receiver.url);
    });
    after(() => receiver.stop());

    it(`loses nothing and doubles nothing in ${ROUNDS} rounds (STORM_SEED=${SEED})`, async () => {
      const { shop } = at;
      const eventStore = {
        service: 'event store',
        kill: () => at.engines.eventStore.strike('kill'),
        start: () => at.engines.eventStore.mend('kill'),
      };
      const isStruck = givenEventStore()?.strikes.has('kill');
      const { crowd, killed } = await killInRounds({
        // The other replica serves while one is away: nobody waits. Where there is none, all do.
        shop: {
          ready: () => (servers === 'embedded' ? shop.ready() : Promise.resolve()),
          shopper: () => shop.shopper(),
        },
        money: shop,
        shoppers: 4,
        seed: SEED,
        rounds: ROUNDS,
        victims: isStruck ? [...shop.all, eventStore] : shop.all,
      });

      const { problems, sales, ...found } = await shop.audit(crowd.told, receiver.received);
      const services = killed.map(({ service }) => service).join(', ');
      console.log(
        `        killed: ${services}; ${crowd.acknowledged} writes acknowledged; ${JSON.stringify({ sales, ...found })}; ${problems.length} problems`,
      );
      expect(problems).to.deep.equal([]);
      expect(sales).to.equal(crowd.told.paidInvoices.length);
      expect(crowd.acknowledged).to.be.at.least(ROUNDS);
    }).timeout(180_000 + ROUNDS * 30_000);
  });
});
