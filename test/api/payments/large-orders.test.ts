import { expect } from 'chai';
import type { Request } from '#test/support/browser.ts';
import { changeLine, pay, showBasket, withHeaders } from '#test/support/requests.ts';
import { body, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

/** docs/rules/checkout.md#large-orders: more than 50 units at an address, or more than half of a row of over ten. */
describe('unpaid orders that hold much', () => {
  let shop: TestShop;
  let mug: string;
  let addresses = 0;
  before(async () => {
    const environment = { Checkout__HeldUnitsPerAddress: '50', Storefront__TrustedProxies: '1' };
    shop = await TestShop.open({ environment });
    mug = await shop.sell('mug', { price: 10, stock: 10_000 });
  });
  after(() => shop.close());

  const newAddress = (): string => `198.51.100.${++addresses}`;
  const payFrom = (ip: string): Request => withHeaders({ 'X-Forwarded-For': ip }, pay());
  const wants = async (quantity: number, product = mug): Promise<Shopper> => {
    const shopper = shop.shopper();
    await shopper.prepare(product, quantity, `s${Math.random()}@example.com`);
    return shopper;
  };
  const advance = async (minutes: number): Promise<void> => {
    await shop.settle();
    await shop.tester.post('/testing/clock', { advanceSeconds: minutes * 60 });
    await shop.tester.post('/testing/jobs/release-reservations');
    await shop.settle();
  };
  const minutesUntil = (instant: string): number =>
    Math.round((Date.parse(instant) - shop.shop.runtime.clock.now()) / 60_000);
  /** Minutes for which the goods of an order are held. */
  const orders = async (ip: string, quantity: number, product = mug) => {
    const shopper = await wants(quantity, product);
    const { status, body: answer } = await shopper.ask(payFrom(ip));
    expect(status, JSON.stringify(answer)).to.equal(200);
    return { shopper, invoiceId: answer.invoiceId as string, minutes: minutesUntil(answer.heldUntil) };
  };
  const isRefused = (ip: string, shopper: Shopper) =>
    shop.given().by(shopper).when(payFrom(ip)).then(400).and(refusedFor('large-order-waits'));

  it('are told how long they are held: an hour, or ten minutes where they hold much', async () => {
    expect((await orders(newAddress(), 50)).minutes).to.equal(60);
    expect((await orders(newAddress(), 51)).minutes).to.equal(10);
  });

  it('are those, too, that hold more than half of a row of which more than ten are there', async () => {
    for (const [stock, quantity, minutes] of [
      [12, 6, 60],
      [12, 7, 10],
      [11, 6, 10],
      [10, 10, 60],
    ] as const) {
      const rare = await shop.sell(`rare ${stock} ${quantity}`, { price: 1, stock });
      expect((await orders(newAddress(), quantity, rare)).minutes).to.equal(minutes);
    }
  });

  it('add up at one address, one row with the other and order with order', async () => {
    const home = newAddress();
    expect((await orders(home, 30)).minutes).to.equal(60);
    expect((await orders(home, 20)).minutes).to.equal(60);
    expect((await orders(home, 1)).minutes).to.equal(10);
    const rare = await shop.sell('shared', { price: 1, stock: 20 });
    const other = newAddress();
    expect((await orders(other, 10, rare)).minutes).to.equal(60);
    expect((await orders(other, 1, rare)).minutes).to.equal(10);
  });

  it('add up where they are placed at the same moment', async () => {
    const home = newAddress();
    const shoppers = [await wants(30), await wants(30), await wants(30)];
    const answers = await Promise.all(shoppers.map((one) => one.ask(payFrom(home))));
    const minutes = answers.map(({ body: answer }) => minutesUntil(answer.heldUntil));
    expect(minutes.sort((one, other) => one - other)).to.deep.equal([10, 10, 60]);
  });

  it('expire after ten minutes; then the address gets nothing large for an hour', async () => {
    const home = newAddress();
    const { invoiceId } = await orders(home, 51);
    await advance(11);
    const { body: order } = await shop.admin.get(`/backoffice/api/v1/orders/${invoiceId}`);
    expect(order.cancellationReason).to.equal('expired');

    const shopper = await wants(51);
    await isRefused(home, shopper)
      .and(body(({ message, retryAt }) => expect(message).to.contain(retryAt)))
      .and(noNewEvents());
    expect((await orders(home, 5)).minutes).to.equal(60);
    expect((await orders(newAddress(), 51)).minutes).to.equal(10);
    await advance(58);
    await isRefused(home, await wants(51));
    await advance(3);
    expect((await orders(home, 51)).minutes).to.equal(10);
  });

  it('get no more time by being placed again, nor by being smaller in between', async () => {
    const home = newAddress();
    const { shopper } = await orders(home, 51);
    await advance(6);
    await shopper.add(mug, 1);
    const { body: again } = await shopper.ask(payFrom(home));
    expect(minutesUntil(again.heldUntil)).to.equal(4);
    const [{ id: lineItemId }] = (await shopper.ask(showBasket())).body.lineItems;
    await shopper.ask(changeLine({ lineItemId, quantity: 1 }));
    expect((await shopper.ask(payFrom(home))).status).to.equal(200);
    await shopper.ask(changeLine({ lineItemId, quantity: 51 }));
    await isRefused(home, shopper);
  });

  it('do not count once they are paid', async () => {
    const home = newAddress();
    const { shopper, invoiceId } = await orders(home, 51);
    await shopper.payWith(invoiceId);
    expect((await orders(home, 51)).minutes).to.equal(10);
  });

  it('are not held longer by a card that is declined, and neither are small ones', async () => {
    for (const [quantity, declinedAt, gone] of [
      [51, 9, 2],
      [1, 59, 2],
    ] as const) {
      const { shopper, invoiceId } = await orders(newAddress(), quantity);
      await advance(declinedAt);
      const declined = await shopper.payWith(invoiceId, 'tok_decline');
      expect(declined.body.status).to.equal('Failed');
      await advance(gone);
      const { body: order } = await shop.admin.get(`/backoffice/api/v1/orders/${invoiceId}`);
      expect(order.cancellationReason).to.equal('expired');
    }
  });

  it('are paid until then like any other', async () => {
    const { shopper, invoiceId } = await orders(newAddress(), 51);
    await advance(9);
    expect((await shopper.payWith(invoiceId)).body.status).to.equal('Completed');
  });
});
