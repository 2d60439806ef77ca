import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import {
  returnFromProvider,
  get,
  giveUp,
  manage,
  pay,
  payInvoice,
  readyToPay,
} from '#test/support/requests.ts';
import { exactly } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';
import { paidByStripe, stripeKeys, tellShop } from '#test/support/stripe/stripe-shop.ts';
import { startStripeDouble, type StripeDouble } from '#test/support/stripe/stripe-double.ts';

const openShop = (stripe: Readonly<Record<string, string>>) => TestShop.open(paidByStripe(stripe));

const keys = stripeKeys;

describe('paying by Stripe (docs/guides/writing-a-payment-provider.md#stripe)', () => {
  let double: StripeDouble;
  let shop: TestShop | undefined;
  beforeEach(async () => {
    double = await startStripeDouble();
  });
  afterEach(async () => {
    await shop?.close();
    await double.goAway();
  });

  const payWith = async (
    opened: TestShop,
    paymentMethodToken: string,
    status: number,
    wanted: Readonly<Record<string, unknown>> = {},
  ) => {
    const shopper = opened.shopper();
    const mug = await opened.sell('mug', { price: 10, stock: 5 });
    const placed = await opened
      .given(...readyToPay(mug))
      .by(shopper)
      .when(pay({ providerAlias: 'stripe' }))
      .then(200);
    const { invoiceId } = placed.body;
    return opened
      .given()
      .by(shopper)
      .when(payInvoice(invoiceId, { providerAlias: 'stripe', paymentMethodToken }))
      .then(status, wanted);
  };

  it('charges what is due, once', async () => {
    shop = await openShop({ ...keys, apiBaseUrl: double.url });
    await payWith(shop, 'pm_card_visa', 200, { success: true, status: 'Completed' });
    expect(double.taken()).to.equal(1700);
  });

  it('is asked of sessions that the shop does not know only so often for an address', async () => {
    shop = await openShop({ ...keys, apiBaseUrl: double.url });
    const shopper = shop.shopper();
    const unknown = (back: typeof returnFromProvider, id: number) =>
      shopper.ask(back({ provider: 'stripe', sessionId: `pi_unknown_${id}` }));
    for (let id = 0; id < 30; id++)
      expect((await unknown(id % 2 === 0 ? returnFromProvider : giveUp, id)).status).to.equal(404);
    const askedBefore = double.asked.length;
    for (const back of [returnFromProvider, giveUp]) expect((await unknown(back, 30)).status).to.equal(429);
    expect(double.asked).to.have.length(askedBefore);
  });

  it('is told to come again with what only Stripe can place while it is away, and is believed then', async () => {
    shop = await openShop({ ...keys, apiBaseUrl: double.url });
    const { transactionId } = (await payWith(shop, 'pm_card_visa', 200)).body;
    const intent = { id: transactionId, metadata: {}, amount: 1700, amount_received: 1700, currency: 'gbp' };
    const event = {
      id: 'evt_1',
      object: 'event',
      type: 'payment_intent.succeeded',
      data: { object: intent },
    };
    // The intent that the form was shown with is closed meanwhile.
    await shop.settle();
    const opened = shop;
    const told = () => tellShop(opened, event);
    double.answerNext((response) => response.writeHead(503).end());
    expect((await told()).status).to.equal(503);
    const { status, body } = await told();
    expect([status, body.message]).to.deep.equal([200, 'Webhook processed']);
    const paid = (await eventsIn(shop)).filter(({ type }) => type === 'PaymentCaptured');
    expect(paid).to.have.length(1);
  });

  it('refuses a token of another provider before anybody is asked', async () => {
    shop = await openShop({ ...keys, apiBaseUrl: double.url });
    await payWith(shop, 'tok_success', 400);
    expect(double.asked.filter(({ form }) => form['confirm'] === 'true')).to.deep.equal([]);
  });

  it('is offered once staff have set its keys, which nobody is shown again', async () => {
    shop = await openShop({ apiBaseUrl: double.url });
    const { when } = managing(() => shop ?? expect.fail('no shop'));
    const methods = async () =>
      (await shop?.given().when(get('/api/shop/checkout/payment-methods')).then(200))?.body;
    expect(await methods()).to.deep.equal([]);
    await when(manage.post('/payment-providers/stripe/test'))
      .then(200)
      .and(
        exactly({
          success: false,
          errorMessage: 'secretKey, publishableKey, webhookSecret: must be a value',
        }),
      );
    const checks = await when(manage.get('/health-checks/payment-provider-settings/details')).then(200);
    expect(JSON.stringify(checks.body)).to.include('stripe');
    const configuration = {
      secretKey: 'sk_test_very_secret',
      publishableKey: 'pk_test_1',
      webhookSecret: 'whsec_very_secret',
    };
    await when(manage.put('/payment-providers/stripe/settings', { configuration })).then(200, {
      isConfigured: true,
      configuration: { secretKey: '***', publishableKey: 'pk_test_1', webhookSecret: '***' },
    });
    expect(await methods()).to.have.length(2);
    await when(manage.post('/payment-providers/stripe/test'))
      .then(200)
      .and(exactly({ success: true, errorMessage: null }));
    expect(JSON.stringify(await shop.shop.runtime.store.readAll(0))).to.not.include('very_secret');
  });
});
