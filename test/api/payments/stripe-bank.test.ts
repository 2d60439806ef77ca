import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import {
  returnFromProvider,
  giveUp,
  inBrowser,
  manage,
  pay,
  payAgain,
  payInvoice,
  readyToPay,
} from '#test/support/requests.ts';
import { header, noNewEvents } from '#test/support/scene.ts';
import { type TestShop, type Shopper } from '#test/support/shop.ts';
import type { StripeDouble } from '#test/support/stripe/stripe-double.ts';
import { lastEvent, openStripeShop, tellShop } from '#test/support/stripe/stripe-shop.ts';

const CARD = 'pm_card_authenticationRequired';

// docs/rules/stripe.md#the-payers-bank
describe('a card of Stripe whose bank wants to see the payer', () => {
  let double: StripeDouble;
  let shop: TestShop;
  let mug: string;
  before(async () => {
    ({ double, shop, mug } = await openStripeShop());
  });
  after(async () => {
    await shop.close();
    await double.goAway();
  });

  const by = (shopper: Shopper) => shop.given().by(shopper);
  const ordered = async (pages: object = {}) => {
    const shopper = shop.shopper();
    const { body: begun } = await shop
      .given(...readyToPay(mug))
      .by(shopper)
      .when(pay({ providerAlias: 'stripe', ...pages }))
      .then(200, { success: true });
    return { shopper, invoiceId: String(begun.invoiceId) };
  };
  const card = (invoiceId: string, paymentMethodToken = CARD, changes: object = {}) =>
    payInvoice(invoiceId, { providerAlias: 'stripe', paymentMethodToken, ...changes });
  const atBank = async (changes: object = {}) => {
    const known = await ordered();
    const { body: sent } = await by(known.shopper)
      .when(card(known.invoiceId, CARD, changes))
      .then(200, { success: true, status: 'RequiresAction', clientSecret: null });
    return { ...known, intentId: String(sent.transactionId), redirectUrl: String(sent.redirectUrl) };
  };
  /** Where the double sends a browser, as a path of this shop. */
  const backFrom = (intentId: string, how: 'succeeded' | 'failed'): string => {
    const { origin, pathname, search } = new URL(double.authenticate(intentId, how));
    expect(origin, "the request's own address, where no other is configured").to.equal(shop.base);
    return pathname + search;
  };
  const paidOf = async (invoiceId: string) => {
    await shop.settle();
    const { body: list } = await shop.admin.ask(manage.get(`/invoices/${invoiceId}/payments`));
    return (list.items as { status: string; amount: number }[]).map(({ status, amount }) => [status, amount]);
  };

  it('is sent to the bank, comes back, and goes on where /pay said', async () => {
    const { shopper, invoiceId, intentId, redirectUrl } = await atBank();
    expect(redirectUrl).to.include('https://hooks.stripe.com/');
    await by(shopper)
      .when(inBrowser({ method: 'GET', path: backFrom(intentId, 'succeeded') }))
      .then(303)
      .and(header('Location', `/return?invoiceId=${invoiceId}&status=Completed`));
    expect(shopper.cookies.has('shop_confirmation')).to.equal(true);
    expect(await paidOf(invoiceId)).to.deep.equal([['Completed', 17]]);
  });

  it('goes on where the request says that charges it, before where /pay said', async () => {
    const { shopper, invoiceId, intentId } = await atBank({ returnUrl: '/thanks?of=3d' });
    await by(shopper)
      .when(inBrowser({ method: 'GET', path: backFrom(intentId, 'succeeded') }))
      .then(303)
      .and(header('Location', `/thanks?of=3d&invoiceId=${invoiceId}&status=Completed`));
    const elsewhere = { returnUrl: 'https://evil.example/' };
    const other = await ordered();
    await by(other.shopper)
      .when(card(other.invoiceId, CARD, elsewhere))
      .then(400);
  });

  it('goes on where the last /pay of the invoice said', async () => {
    const { shopper, invoiceId } = await ordered();
    const pages = { providerAlias: 'stripe', returnUrl: '/second', cancelUrl: '/second/no' };
    await by(shopper).when(payAgain(invoiceId, pages)).then(200);
    const { body: sent } = await by(shopper).when(card(invoiceId)).then(200, { status: 'RequiresAction' });
    await by(shopper)
      .when(inBrowser(giveUp({ provider: 'stripe', sessionId: sent.transactionId })))
      .then(303)
      .and(header('Location', `/second/no?invoiceId=${invoiceId}&status=Cancelled`));
  });

  it('that says no leaves the invoice payable, and the same card can be tried again', async () => {
    const { shopper, invoiceId, intentId } = await atBank();
    await by(shopper)
      .when({ method: 'GET', path: backFrom(intentId, 'failed') })
      .then(200, { success: false, status: 'Failed' });
    const { body: again } = await by(shopper).when(card(invoiceId)).then(200, { status: 'RequiresAction' });
    expect(again.transactionId).to.not.equal(intentId);
    backFrom(String(again.transactionId), 'succeeded');
    await by(shopper)
      .when(returnFromProvider({ provider: 'stripe', invoiceId }))
      .then(200, { success: true, status: 'Completed' });
    expect((await paidOf(invoiceId)).filter(([status]) => status === 'Completed')).to.have.length(1);
  });

  for (const ways of [
    ['callback', 'return'],
    ['return', 'callback'],
    ['callback', 'callback'],
    ['transaction', 'callback'],
  ] as const)
    it(`ends the payment once, by ${ways.join(' and then by ')}`, async () => {
      const { shopper, invoiceId, intentId } = await atBank();
      const path = backFrom(intentId, 'succeeded');
      const event = lastEvent(double, 'payment_intent.succeeded');
      for (const way of ways) {
        if (way === 'callback') expect((await tellShop(shop, event)).status).to.equal(200);
        if (way === 'return')
          await by(shopper).when({ method: 'GET', path }).then(200, { status: 'Completed' });
        if (way === 'transaction')
          await by(shopper)
            .when(card(invoiceId, '', { transactionId: intentId }))
            .then(200, { status: 'Completed' });
      }
      expect(await paidOf(invoiceId)).to.deep.equal([['Completed', 17]]);
    });

  it('that is never heard of again is closed at Stripe once the invoice is paid otherwise', async () => {
    const { shopper, invoiceId, intentId } = await atBank();
    await by(shopper).when(card(invoiceId, 'pm_card_visa')).then(200, { status: 'Completed' });
    await shop.settle();
    expect(() => double.authenticate(intentId, 'succeeded')).to.throw('waits for no payer');
    expect(await paidOf(invoiceId)).to.deep.include(['Completed', 17]);
  });

  it('is not taken for the payment of another order', async () => {
    const one = await atBank();
    const other = await ordered();
    backFrom(one.intentId, 'succeeded');
    await by(other.shopper)
      .when(card(other.invoiceId, '', { transactionId: one.intentId }))
      .then(400)
      .and(noNewEvents());
    // The browser of the other shopper brings the intent back with the name of their own invoice.
    const fields = { provider: 'stripe', payment_intent: one.intentId, invoiceId: other.invoiceId };
    const came = await other.shopper.ask(returnFromProvider(fields));
    expect(came.body).to.include({ invoiceId: one.invoiceId });
    expect(other.shopper.cookies.has('shop_confirmation')).to.equal(false);
    expect(await paidOf(other.invoiceId)).to.deep.equal([]);
    expect(await paidOf(one.invoiceId)).to.deep.equal([['Completed', 17]]);
  });

  it('goes on in the script of a page that has its secret, where Stripe has no page for it', async () => {
    const { shopper, invoiceId } = await ordered();
    const intent = {
      ...{
        id: 'pi_script',
        object: 'payment_intent',
        status: 'requires_action',
        amount: 1700,
        currency: 'gbp',
      },
      ...{ client_secret: 'pi_script_secret', metadata: { invoiceId }, last_payment_error: null },
      next_action: { type: 'use_stripe_sdk', use_stripe_sdk: {} },
    };
    double.answerNext((response: ServerResponse) =>
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(intent)),
    );
    const goesOn = { status: 'RequiresAction', redirectUrl: null, clientSecret: 'pi_script_secret' };
    await by(shopper).when(card(invoiceId)).then(200, goesOn);
    // Sent twice, it is the same payment.
    await by(shopper).when(card(invoiceId)).then(200, goesOn).and(noNewEvents());
    expect(JSON.stringify(await shop.shop.runtime.store.readAll(0))).to.not.include('pi_script_secret');
  });

  it('is recorded with the amount that Stripe has taken, whatever was asked for', async () => {
    const { shopper, invoiceId, intentId } = await atBank();
    const more = { id: intentId, object: 'payment_intent', status: 'succeeded', currency: 'gbp' };
    const intent = { ...more, amount: 1800, amount_received: 1800, metadata: { invoiceId } };
    const event = {
      id: 'evt_more',
      object: 'event',
      type: 'payment_intent.succeeded',
      data: { object: intent },
    };
    expect((await tellShop(shop, event)).status).to.equal(200);
    expect(await paidOf(invoiceId)).to.deep.equal([['Completed', 18]]);
    const { body: order } = await shop.admin.ask(manage.get(`/orders/${invoiceId}`));
    expect(order, 'what is too much is owed to the customer').to.include({ amountPaid: 18, creditDue: 1 });
    const takenBefore = double.taken();
    await by(shopper).when(card(invoiceId, 'pm_card_visa')).then(400);
    expect(double.taken()).to.equal(takenBefore);
  });
});
