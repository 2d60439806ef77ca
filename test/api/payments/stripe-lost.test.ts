import { expect } from 'chai';
import { manage, pay, payInvoice, readyToPay, returnFromProvider } from '#test/support/requests.ts';
import { noNewEvents } from '#test/support/scene.ts';
import { eventTypesOf } from '#test/support/shop-log.ts';
import { type TestShop, type Shopper } from '#test/support/shop.ts';
import type { StripeDouble } from '#test/support/stripe/stripe-double.ts';
import { lastEvent, openStripeShop, tellShop } from '#test/support/stripe/stripe-shop.ts';

const CARD = 'pm_card_authenticationRequired';

// docs/rules/stripe.md#what-goes-missing
describe('what goes missing between the shop and Stripe', () => {
  let double: StripeDouble;
  let shop: TestShop;
  let mug: string;
  beforeEach(async () => {
    ({ double, shop, mug } = await openStripeShop());
  });
  afterEach(async () => {
    await shop.close();
    await double.goAway();
  });

  const by = (shopper: Shopper) => shop.given().by(shopper);
  const ordered = async () => {
    const shopper = shop.shopper();
    const { body: begun } = await shop
      .given(...readyToPay(mug))
      .by(shopper)
      .when(pay({ providerAlias: 'stripe' }))
      .then(200);
    return { shopper, invoiceId: String(begun.invoiceId) };
  };
  const card = (invoiceId: string, paymentMethodToken = 'pm_card_visa') =>
    payInvoice(invoiceId, { providerAlias: 'stripe', paymentMethodToken });
  const order = async (invoiceId: string) => {
    await shop.settle();
    return (await shop.admin.ask(manage.get(`/orders/${invoiceId}`))).body as Record<string, unknown>;
  };
  const paidOnce = { paymentStatus: 'Paid', amountPaid: 17, balanceDue: 0, creditDue: 0 };

  it('the answer to a charge: nobody may pay meanwhile, and asked again it is the same charge', async () => {
    const { shopper, invoiceId } = await ordered();
    double.loseResponse();
    await by(shopper).when(card(invoiceId)).then(200, { success: true, status: 'Pending' });
    // At once, before the shop has asked again by itself.
    expect((await shopper.ask(card(invoiceId, CARD))).status).to.equal(409);
    expect((await shopper.ask(card(invoiceId))).body).to.include({ success: true, status: 'Completed' });
    expect(await order(invoiceId)).to.include(paidOnce);
    expect(double.taken()).to.equal(1700);
  });

  it('the answer to a charge, of which the callback tells first', async () => {
    const { shopper, invoiceId } = await ordered();
    double.loseResponse();
    await by(shopper).when(card(invoiceId)).then(200, { status: 'Pending' });
    const told = lastEvent(double, 'payment_intent.succeeded');
    expect((await tellShop(shop, told)).status).to.equal(200);
    for (let times = 0; times < 2; times++) {
      const { body } = await shopper.ask(card(invoiceId));
      expect(body).to.include({ success: true, status: 'Completed' });
    }
    expect(await order(invoiceId)).to.include(paidOnce);
    const types = await eventTypesOf(shop, invoiceId);
    expect(types.filter((type) => type === 'PaymentCaptured')).to.have.length(1);
    expect(types).to.include('PaymentAttemptMatched');
    expect(double.taken()).to.equal(1700);
  });

  it('the answer that sends a payer to their bank: asked again it is the same bank', async () => {
    const { shopper, invoiceId } = await ordered();
    double.loseResponse();
    await by(shopper).when(card(invoiceId, CARD)).then(200, { status: 'Pending' });
    const { body: sent } = await shopper.ask(card(invoiceId, CARD));
    expect(sent).to.include({ status: 'RequiresAction' });
    double.authenticate(String(sent.transactionId), 'succeeded');
    await by(shopper)
      .when(returnFromProvider({ provider: 'stripe', payment_intent: String(sent.transactionId) }))
      .then(200, { status: 'Completed' });
    expect(await order(invoiceId)).to.include(paidOnce);
    expect(double.taken()).to.equal(1700);
  });

  /** A payer at their bank, whose order has expired. */
  const expired = async () => {
    const { shopper, invoiceId } = await ordered();
    const { body: sent } = await by(shopper)
      .when(card(invoiceId, CARD))
      .then(200, { status: 'RequiresAction' });
    return { shopper, invoiceId, intentId: String(sent.transactionId) };
  };
  const oneHour = async () => {
    // The job is told of invoices by the log: a session that it has not heard of is still an attempt.
    await shop.settle();
    await shop.tester.post('/testing/clock', { advanceSeconds: 2 * 60 * 60 });
    await shop.tester.post('/testing/jobs/release-reservations');
    await shop.settle();
  };

  it('a payer who never finishes what their bank asks: the order expires, and Stripe takes nothing any more', async () => {
    const { shopper, invoiceId, intentId } = await expired();
    await oneHour();
    expect(await order(invoiceId)).to.include({ isCancelled: true, amountPaid: 0 });
    expect(() => double.authenticate(intentId, 'succeeded')).to.throw('waits for no payer');
    const told = lastEvent(double, 'payment_intent.canceled');
    expect((await tellShop(shop, told)).status).to.equal(200);
    await by(shopper)
      .when(returnFromProvider({ provider: 'stripe', payment_intent: intentId }))
      .then(200, { success: false, status: 'Cancelled' })
      .and(noNewEvents());
    expect(double.taken()).to.equal(0);
  });

  it('the word of a payer who had finished when the order expired: the money is seen, and given back', async () => {
    const { invoiceId, intentId } = await expired();
    double.authenticate(intentId, 'succeeded');
    await oneHour();
    expect((await tellShop(shop, lastEvent(double, 'payment_intent.succeeded'))).status).to.equal(200);
    expect(await order(invoiceId)).to.include({ isCancelled: true, amountPaid: 17, amountRefunded: 17 });
    expect(double.taken()).to.equal(0);
  });
});
