import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { useShopOn } from '#test/support/service-processes.ts';
import { onServers } from '#test/support/shared-engines.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';

/**
 * A worker has so many deliveries under way at once to receivers that have some under way already. With receivers this
 * slow they are the limit, and not the machine, though F30 has the servers at the same time: 60 deliveries a second.
 */
const PLACES = 448;
const SLOW_MILLISECONDS = { least: 14_000, most: 17_500 };
const SUBSCRIPTIONS = 48;
const EVENTS = 160;
const SHOPPERS = 4;
/** Twice what a delivery takes: they come in waves. */
const WINDOW_MILLISECONDS = 31_500;

onServers(
  (servers) => {
    describe('F23 with processes of the dispatcher: slow receivers', () => {
      const at = useShopOn(() => servers, { replicas: { dispatcher: 2 } });
      let receiver: Receiver;
      before(async () => {
        receiver = await startReceiver();
      });
      after(() => receiver.stop());

      /** All places are taken, and those that were taken first have been taken again. */
      const untilUnderWay = async (deliveries: number): Promise<void> => {
        while (receiver.open < deliveries) await pause(50);
        await pause(SLOW_MILLISECONDS.most);
      };

      /** Deliveries in a second. */
      const rate = async (): Promise<number> => {
        const [before, begun] = [receiver.received.length, performance.now()];
        await pause(WINDOW_MILLISECONDS);
        return ((receiver.received.length - before) * 1000) / (performance.now() - begun);
      };

      it('are served at least 1.8 times as fast by two workers as by one', async () => {
        const { shop } = at;
        let turn = 0;
        receiver.answer((response) => {
          const share = (turn++ % 16) / 15;
          const { least, most } = SLOW_MILLISECONDS;
          setTimeout(() => response.end('ok'), least + share * (most - least));
        });
        const tea = await shop.sell('tea', { price: 5 });
        await shop.subscribeTimes(SUBSCRIPTIONS, 'basket.updated', receiver.url);
        const [, second] = shop.replicas('dispatcher');
        await second?.stop();
        const shopAlone = async (): Promise<void> => {
          const shopper = shop.shopper();
          // The first one makes the basket.
          for (let event = 0; event <= EVENTS / SHOPPERS; event++)
            expect((await shopper.add(tea)).status).to.equal(200);
        };
        await Promise.all(Array.from({ length: SHOPPERS }, shopAlone));

        await untilUnderWay(PLACES);
        const alone = await rate();
        await second?.start();
        await untilUnderWay(2 * PLACES * 0.9);
        const together = await rate();
        console.log(
          `        ${alone.toFixed(1)} deliveries a second with one worker, ${together.toFixed(1)} with two: ${(together / alone).toFixed(2)} times; ${receiver.received.length} sent, ${receiver.open} under way`,
        );
        // Otherwise there was too little to do for both.
        expect(receiver.received.length).to.be.below(SUBSCRIPTIONS * EVENTS);
        expect(together / alone).to.be.at.least(1.8);
      }).timeout(400_000);
    });
  },
  { needsReplicas: true },
);
