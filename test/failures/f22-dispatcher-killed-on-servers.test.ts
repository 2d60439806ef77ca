import { expect } from 'chai';
import { useShopOn } from '#test/support/service-processes.ts';
import { onServers } from '#test/support/shared-engines.ts';
import { answerWith, deliveryIdOf, startReceiver, type Receiver } from '#test/support/subscriber.ts';

/** Enough that both processes have some of them. */
const SUBSCRIPTIONS = 24;

onServers((servers) => {
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
      for (let index = 0; index < SUBSCRIPTIONS; index++) {
        const subscription = { name: `${index}`, topic: 'basket.created', targetUrl: receiver.url };
        const { status } = await shop.admin.post('/backoffice/api/v1/webhooks', subscription);
        expect(status).to.equal(201);
      }
      await shop.settle();

      const cutOff = new Set<string>();
      const held: (() => void)[] = [];
      receiver.answer((response, received) => {
        response.once('close', () => {
          if (!response.writableEnded) cutOff.add(deliveryIdOf(received));
        });
        held.push(() => response.end('ok'));
      });
      await shop.shopper().add(tea);
      await receiver.count(SUBSCRIPTIONS, 30_000);
      const [victim] = shop.replicas('dispatcher');
      await victim?.kill();
      // The connections of the dead are closed before anything else is answered.
      while (cutOff.size + receiver.open > SUBSCRIPTIONS || receiver.open === SUBSCRIPTIONS)
        await new Promise((resolve) => setTimeout(resolve, 10));
      receiver.answer(answerWith(200, 'ok'));
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
    }).timeout(180_000);
  });
});
