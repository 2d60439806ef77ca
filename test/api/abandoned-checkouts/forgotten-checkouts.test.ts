import { expect } from 'chai';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { streamOf } from '#values/stream-name.ts';
import { customerNamed } from '#test/support/account-customers.ts';
import { faultyEventStore, holds, type FaultyEventStore } from '#test/support/faults.ts';
import { hoursLater, LeftCheckouts, recoverBy, recoveryTokenOf } from '#test/support/left-checkouts.ts';
import { add, manage, post } from '#test/support/requests.ts';
import { noNewEvents, refusedFor } from '#test/support/scene.ts';

// docs/rules/forgetting.md#baskets
describe('the checkout of someone who is forgotten', () => {
  let left: LeftCheckouts;
  let log: FaultyEventStore;

  before(async () => {
    left = await LeftCheckouts.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
  });
  after(() => left.close());

  const of = (basketId: string, what: string) =>
    manage.post(`/abandoned-checkouts/${abandonedCheckoutId(basketId)}/${what}`);
  const shown = (basketId: string) =>
    left.shop.shown(`/abandoned-checkouts/${abandonedCheckoutId(basketId)}`);
  const typed = async (email: string): Promise<string> => {
    const shopper = left.shop.shopper();
    await shopper.ask(add(left.mug));
    await shopper.ask(post('/api/shop/checkout/capture-email', { email }));
    return shopper.basketId;
  };
  const forget = async (basketId: string): Promise<void> => {
    const { text } = await left.shop.admin.ask(of(basketId, 'forget'));
    expect(text).to.include('"Forgotten"');
    await left.shop.settle();
  };
  const isOver = async (basketId: string): Promise<void> => {
    expect(await shown(basketId)).to.deep.include({ status: 'Expired', customerEmail: null, basketId: null });
    for (const what of ['resend-email', 'regenerate-link'])
      await left.shop
        .given()
        .by(left.shop.admin)
        .when(of(basketId, what))
        .then(400)
        .and(refusedFor('checkout-not-abandoned'))
        .and(noNewEvents());
  };

  it('is over, so that no mail, no link and no one of the staff brings it back', async () => {
    const basketId = await typed('left@example.com');
    await hoursLater(left.shop, 2);
    expect(await shown(basketId)).to.include({ status: 'Abandoned' });
    await forget(basketId);
    await isOver(basketId);
    await left.shop
      .given()
      .when(recoverBy(recoveryTokenOf(basketId)))
      .then(404);
    await hoursLater(left.shop, 200);
    expect(await shown(basketId)).to.include({ status: 'Expired', recoveryEmailsSent: 0 });
  });

  it('is over also where it was never left', async () => {
    const basketId = await typed('stays@example.com');
    await left.shop.settle();
    expect(await shown(basketId)).to.include({ status: 'Active' });
    await forget(basketId);
    await isOver(basketId);
  });

  // docs/rules/abandoned-checkouts.md#conversion
  it('is bought, and did not end unbought, where its record had not heard of the sale yet', async () => {
    const email = 'buys@example.com';
    const shopper = await left.shopping(email);
    const { basketId } = shopper;
    await hoursLater(left.shop, 2);
    let isAway = true;
    for (let times = 0; times < 20; times++)
      log.runBefore('append', holds('CheckoutConverted'), () => {
        if (isAway) throw new EngineUnavailable('not before they are forgotten');
      });
    await shopper.initialize();
    const { invoiceId } = (await shopper.pay()).body;
    expect((await shopper.payWith(String(invoiceId))).status).to.equal(200);
    await left.shop.settle();
    const customerId = await customerNamed(left.shop, email);
    log.runBefore('append', holds('BasketForgotten'), () => void (isAway = false));
    const { text } = await left.shop.admin.ask(manage.post(`/customers/${customerId}/forget`));
    expect(text).to.include('"Forgotten"');
    await left.shop.settle();
    const record = await log.readStream(streamOf.abandonedCheckout(abandonedCheckoutId(basketId)));
    const types = record.map(({ type }) => type);
    expect(types).to.include('CheckoutConverted');
    expect(types).not.to.include.any.members(['AbandonedBasketLost', 'CheckoutRecoveryExpired']);
    expect(await shown(basketId)).to.include({ status: 'Converted', customerEmail: null });
  });
});
