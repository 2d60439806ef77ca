import { expect } from 'chai';
import {
  add,
  get,
  giveAddresses,
  initialize,
  manage,
  pay,
  payInvoice,
  readyToPay,
} from '#test/support/requests.ts';
import { body } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';
import type { StripeDouble } from '#test/support/stripe/stripe-double.ts';
import {
  lastEvent,
  openStripeShop,
  paidByStripe,
  stripeKeys,
  tellShop,
} from '#test/support/stripe/stripe-shop.ts';

// docs/rules/stripe.md#forms
describe("a form of Stripe's that confirms its intent in the browser", () => {
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

  const opened = async () => {
    const shopper = shop.shopper();
    const { body: begun } = await shop
      .given(...readyToPay(mug))
      .by(shopper)
      .when(pay({ providerAlias: 'stripe' }))
      .then(200, { success: true, integrationType: 'HostedFields', redirectUrl: null });
    const { invoiceId, sessionId, clientSecret, sdkConfig } = begun;
    return { shopper, invoiceId, sessionId, clientSecret, sdkConfig };
  };
  const balance = async (invoiceId: string) => {
    await shop.settle();
    return (await shop.admin.ask(manage.get(`/orders/${invoiceId}`))).body as Record<string, unknown>;
  };

  it('is told all that its script needs, and no secret of the shop', async () => {
    const { invoiceId, sdkConfig, clientSecret } = await opened();
    const { apiVersion, ...rest } = sdkConfig;
    expect(apiVersion).to.match(/^\d{4}-\d\d-\d\d/);
    expect(rest).to.deep.equal({
      publishableKey: 'pk_test_1',
      mode: 'payment',
      amount: 1700,
      currency: 'gbp',
      returnUrl: `${shop.base}/api/shop/checkout/return?provider=stripe&invoiceId=${invoiceId}`,
    });
    expect(clientSecret).to.match(/^pi_\d+_secret_/);
  });

  it('is paid when Stripe says so, though the browser never comes back', async () => {
    const { invoiceId, sessionId, clientSecret } = await opened();
    const fields = { client_secret: clientSecret, payment_method: 'pm_card_visa', return_url: shop.base };
    expect(await double.confirmInBrowser(sessionId, fields)).to.include({ status: 'succeeded' });
    await tellShop(shop, lastEvent(double, 'payment_intent.succeeded'));
    expect(await balance(invoiceId)).to.include({ paymentStatus: 'Paid', amountPaid: 17 });
  });

  it('is paid once where a first card was declined in it', async () => {
    const { shopper, invoiceId, sessionId, clientSecret } = await opened();
    const confirm = (payment_method: string) =>
      double.confirmInBrowser(sessionId, {
        client_secret: clientSecret,
        payment_method,
        return_url: shop.base,
      });
    expect(await confirm('pm_card_chargeDeclined')).to.have.nested.property('error.code', 'card_declined');
    await tellShop(shop, lastEvent(double, 'payment_intent.payment_failed'));
    expect(await balance(invoiceId)).to.include({ paymentStatus: 'Unpaid' });
    await confirm('pm_card_visa');
    await tellShop(shop, lastEvent(double, 'payment_intent.succeeded'));
    expect(await balance(invoiceId)).to.include({ paymentStatus: 'Paid', amountPaid: 17 });
    // The page asks as well, and is told of the same payment.
    await shop
      .given()
      .by(shopper)
      .when(
        payInvoice(invoiceId, { providerAlias: 'stripe', paymentMethodToken: '', transactionId: sessionId }),
      )
      .then(200, { status: 'Completed' });
  });

  it('is not confirmed by a page that does not know its secret, nor twice', async () => {
    const [mine, other] = [await opened(), await opened()];
    const fields = { payment_method: 'pm_card_visa', return_url: shop.base };
    const stolen = await double.confirmInBrowser(mine.sessionId, {
      ...fields,
      client_secret: other.clientSecret,
    });
    expect(stolen).to.have.nested.property('error.code', 'payment_intent_invalid_parameter');
    const own = { ...fields, client_secret: mine.clientSecret };
    await double.confirmInBrowser(mine.sessionId, own);
    const again = await double.confirmInBrowser(mine.sessionId, own);
    expect(again).to.have.nested.property('error.code', 'payment_intent_unexpected_state');
    await tellShop(shop, lastEvent(double, 'payment_intent.succeeded'));
    expect(await balance(mine.invoiceId)).to.include({ amountPaid: 17 });
    expect(await balance(other.invoiceId)).to.include({ amountPaid: 0 });
  });

  it('that is for a wallet knows the amount as Stripe counts it, before there is an intent', async () => {
    const krona = await TestShop.open({
      ...paidByStripe({ ...stripeKeys, apiBaseUrl: double.url }),
      settings: { storeCurrencyCode: 'ISK' },
    });
    try {
      const tea = await krona.sell('tea', { price: 500, stock: 5 });
      await krona
        .given(add(tea, 1), giveAddresses(), initialize())
        .when(get('/api/shop/checkout/express-config'))
        .then(200, { currency: 'ISK', decimalPlaces: 0 })
        .and(
          body(({ amount, methods }) => {
            expect(methods[0].sdkConfig).to.include({
              publishableKey: 'pk_test_1',
              mode: 'payment',
              amount: amount * 100,
              currency: 'isk',
            });
          }),
        );
    } finally {
      await krona.close();
    }
  });

  it('is refused in words where Stripe does not charge the amount', async () => {
    const pen = await shop.sell('pen', { price: 1_000_000, stock: 5 });
    await shop
      .given(...readyToPay(pen))
      .when(pay({ providerAlias: 'stripe' }))
      .then(200, {
        success: false,
        errorMessage: 'The amount is too large to be paid this way. Choose another way to pay.',
        clientSecret: null,
      });
  });
});
