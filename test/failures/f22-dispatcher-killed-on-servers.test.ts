import { expect } from 'chai';
import { countdown } from '#test/support/countdown.ts';
import { useShopOn, type ServiceProcess } from '#test/support/service-processes.ts';
import { onServers } from '#test/support/shared-engines.ts';
import { respondWith, deliveryIdOf, startReceiver, type Receiver } from '#test/support/subscriber.ts';

/** How many deliveries a dispatcher is about. */
const underWayAt = async (dispatcher: ServiceProcess | undefined): Promise<number> => {
  const figures = String((await dispatcher?.tester.get('/metrics'))?.body);
  return Number(/^tillroll_deliveries_in_flight(?:\{.*\})? (\d+)$/m.exec(figures)?.[1]);
};

/** Enough that both processes have some of them. */
const SUBSCRIPTIONS = 24;

onServers(
  (servers) => {
    describe('F22 and F23 with two processes of the dispatcher: one is killed in the middle of its deliveries', () => {
      const at = useShopOn(() => servers, { replicas: { dispatcher: 2 } });
      let receiver: Receiver;
      before(async () => {
        receiver = await startReceiver();
      });
      after(() => receiver.stop());

      it('loses none, and sends what was under way again with the same id and the same bytes', async () => {
        const { shop } = at;
        const tea = await shop.sell('tea', { price: 5 });
        await shop.subscribeTimes(SUBSCRIPTIONS, 'basket.created', receiver.url);

        const cutOff = new Set<string>();
        const held: (() => void)[] = [];
        let onCutOff = (): void => undefined;
        receiver.answer((response, received) => {
          response.once('close', () => {
            if (response.writableEnded) return;
            cutOff.add(deliveryIdOf(received));
            onCutOff();
          });
          held.push(() => response.end('ok'));
        });
        await shop.shopper().add(tea);
        await receiver.count(SUBSCRIPTIONS, 30_000);
        const [victim] = shop.replicas('dispatcher');
        const { all, arrive } = countdown(await underWayAt(victim));
        onCutOff = arrive;
        await victim?.kill();
        await all;
        receiver.answer(respondWith(200, 'ok'));
        for (const answer of held) answer();
        await victim?.start();

        const { problems, deliveries } = await shop.audit({}, receiver.received);
        expect(problems).to.deep.equal([]);
        expect(deliveries).to.equal(SUBSCRIPTIONS);
        expect(cutOff.size).to.be.within(1, SUBSCRIPTIONS - 1);
        const times = Map.groupBy(receiver.received, deliveryIdOf);
        for (const [id, requests] of times) {
          expect(requests, id).to.have.length(cutOff.has(id) ? 2 : 1);
          for (const { body } of requests) expect(body).to.deep.equal(requests[0]?.body);
        }
      });
    });
  },
  { needsReplicas: true },
);
