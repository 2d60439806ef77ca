import { expect } from 'chai';
import { noticesTo, startNoticeInbox, type NoticeInbox } from '#test/support/agents/notice-inbox.ts';
import { givenEventStore } from '#test/support/given-event-store.ts';
import { killInRounds, stormStore, stormTopics } from '#test/support/kill-storm.ts';
import { useShopOn } from '#test/support/service-processes.ts';
import { onServers } from '#test/support/shared-engines.ts';
import { shippingForAgents } from '#test/support/storm-agent.ts';
import { rotateDuring } from '#test/support/storm-rotator.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';

const ROUNDS = Number(process.env['STORM_ROUNDS'] ?? 3);
/** Each rotation makes a key for good: enough of them, not so many that they are most of the work. */
const BETWEEN_ROTATIONS_MILLISECONDS = 8000;
const SEED = Number(process.env['STORM_SEED'] ?? Date.now() % 1_000_000);

onServers((servers) => {
  describe(`F21 with ${servers === 'embedded' ? 'the log on a server' : 'the services apart'}: a storm of kills`, () => {
    let receiver: Receiver;
    let agent: NoticeInbox;
    const stops: (() => Promise<unknown>)[] = [];
    const at = useShopOn(() => servers, {
      replicas: { command: 2, projection: 2, dispatcher: 2 },
      storeFile: stormStore,
      env: { Payments__CallbacksPerMinute: '0', ...shippingForAgents },
    });
    before(async () => {
      receiver = await startReceiver();
      stops.push(() => receiver.stop());
      for (const topic of stormTopics) await at.shop.subscribe(topic, receiver.url);
      agent = await startNoticeInbox(at.shop.admin);
      stops.push(() => agent.stop());
    });
    after(() => Promise.all(stops.map((stop) => stop())));

    it(`loses nothing and doubles nothing in ${ROUNDS} rounds (STORM_SEED=${SEED})`, async () => {
      const { shop } = at;
      const eventStore = {
        service: 'event store',
        kill: () => at.engines.eventStore.strike('kill'),
        start: () => at.engines.eventStore.mend('kill'),
      };
      const isStruck = givenEventStore()?.strikes.has('kill');
      // The other replica serves while one is away: no one waits. Where there is none, all do.
      const ready = () => (servers === 'embedded' ? shop.ready() : Promise.resolve());
      const storm = async () => {
        const kinds = [...Map.groupBy(shop.all, ({ service }) => service).values()];
        const stormed = await killInRounds({
          shop: { ready, shopper: () => shop.shopper() },
          money: shop,
          shoppers: 2,
          agents: 1,
          agentProfile: agent.profile,
          seed: SEED,
          rounds: ROUNDS,
          victims: isStruck ? [...kinds, [eventStore]] : kinds,
        });
        await shop.passDeliveryWindow();
        return stormed;
      };
      const { done, ...rotated } = await rotateDuring(
        shop,
        ready,
        shop.withPrinted(storm()),
        BETWEEN_ROTATIONS_MILLISECONDS,
      );
      const { crowd, killed } = done;
      const { told } = crowd;

      const { body: manifest } = await shop.admin.get('/.well-known/ucp');
      const { problems, sales, ...found } = await shop.audit(told, receiver.received, {
        ...{ soldToAgents: told.soldToAgents, agent, mayRepeatLate: true },
        keys: manifest.signing_keys,
      });
      const services = killed.map(({ service }) => service).join(', ');
      const figures = {
        ...{ sales, toAgents: told.soldToAgents.length, notices: noticesTo(agent.receiver).length },
        ...{ rotations: rotated.rotations, ...found },
      };
      console.log(
        `        killed: ${services}; ${crowd.acknowledged} writes acknowledged; ${JSON.stringify(figures)}; ${problems.length} problems`,
      );
      expect([...rotated.problems, ...problems]).to.deep.equal([]);
      expect(sales).to.equal(told.paidInvoices.length);
      expect(told.soldToAgents.length).to.be.at.least(1);
      expect(rotated.rotations).to.be.at.least(1);
      expect(crowd.acknowledged).to.be.at.least(ROUNDS);
    }).timeout(180_000 + ROUNDS * 30_000);
  });
});
