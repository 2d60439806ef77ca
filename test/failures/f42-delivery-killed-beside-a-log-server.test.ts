import { expect } from 'chai';
import { MortalShop } from '#test/support/mortal-shop.ts';
import { respondWith, deliveryIdOf, startReceiver, type Receiver } from '#test/support/subscriber.ts';
import { EventStoreDouble } from '#test/support/eventstoredb/double-server.ts';

/** A claim that is left to lapse takes six minutes of the shop's clock, which stands still here. */
describe('F42: the shop is killed during a delivery, its log on a server and its rows in its own folder', () => {
  let log: EventStoreDouble;
  let receiver: Receiver;
  let shop: MortalShop;
  beforeEach(async () => {
    log = await new EventStoreDouble().start();
    receiver = await startReceiver();
    shop = await MortalShop.open({ EVENT_STORE: log.address, ALLOW_LOOPBACK_TARGETS: 'true' });
  });
  afterEach(async () => {
    await shop.close();
    await receiver.stop();
    log.close();
  });

  it('sends it again as soon as it is back: no other process can be sending it', async () => {
    const tea = await shop.sell('tea', { price: 5 });
    await shop.subscribe('basket.created', receiver.url);
    const held: (() => void)[] = [];
    receiver.answer((response) => held.push(() => response.destroy()));
    const shopper = shop.shopper();
    await shopper.add(tea);
    await receiver.count(1);
    shop.dieNext({ when: 'before', eventType: 'BasketLineQuantityChanged' });
    await shop.dieOf(shopper.add(tea));
    for (const cutOff of held) cutOff();
    receiver.answer(respondWith(200, 'ok'));
    await shop.live();
    await receiver.count(2);
    const [first, second] = receiver.received;
    expect(second && deliveryIdOf(second)).to.equal(first && deliveryIdOf(first));
    expect(second?.body).to.deep.equal(first?.body);
    const { problems } = await shop.audit();
    expect(problems).to.deep.equal([]);
    expect(receiver.received).to.have.length(2);
  });
});
