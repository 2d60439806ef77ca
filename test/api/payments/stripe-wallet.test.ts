import { expect } from 'chai';
import { add, manage, post, readyToPay } from '#test/support/requests.ts';
import { refusedFor } from '#test/support/scene.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';
import type { StripeDouble } from '#test/support/stripe/stripe-double.ts';
import {
  lastEvent,
  openStripeShop,
  paidByStripe,
  stripeKeys,
  tellShop,
} from '#test/support/stripe/stripe-shop.ts';

const checkout = '/api/shop/checkout';
const home = {
  ...{ fullName: 'Ada Lovelace', line1: '1 High Street', city: 'London' },
  ...{ postalCode: 'SW1A 1AA', countryCode: 'GB' },
};
const customerData = { email: 'ada@example.com', shippingAddress: home, billingAddress: home };

// docs/rules/stripe.md#wallets
describe('Apple Pay and Google Pay by Stripe', () => {
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

  const by = (shopper: Shopper) => shop.given(add(mug)).by(shopper);
  const paidOf = async (invoiceId: unknown) => {
    await shop.settle();
    const { body } = await shop.admin.ask(manage.get(`/invoices/${String(invoiceId)}/payment-status`));
    return [body.paymentStatus, body.amountPaid];
  };
  const buy = (changes: object) =>
    post(`${checkout}/express`, {
      ...{ providerAlias: 'stripe', methodAlias: 'wallet', customerData },
      ...changes,
    });
  /** The payer says yes at the wallet's sheet: Stripe's script confirms the intent. */
  const confirmed = (intentId: string, clientSecret: string) =>
    double.confirmInBrowser(intentId, {
      client_secret: clientSecret,
      payment_method: 'pm_card_visa',
      return_url: shop.base,
    });

  it('buy a basket in one step, by what the sheet gives', async () => {
    const { body } = await by(shop.shopper())
      .when(buy({ paymentToken: 'pm_card_visa' }))
      .then(200, { success: true, status: 'completed' });
    expect(await paidOf(body.invoiceId)).to.deep.equal(['Paid', 17]);
  });

  it('buy a basket by an intent that was paid at the sheet, once', async () => {
    const shopper = shop.shopper();
    const taken = double.taken();
    const { body: intent } = await by(shopper)
      .when(post(`${checkout}/express-payment-intent`, { providerAlias: 'stripe' }))
      .then(200, { success: true });
    const { paymentIntentId } = intent;
    await confirmed(paymentIntentId, intent.clientSecret);
    const { body } = await shop
      .given()
      .by(shopper)
      .when(buy({ paymentToken: 'pm_card_visa', paymentIntentId }))
      .then(200, { success: true, status: 'completed', transactionId: paymentIntentId });
    await tellShop(shop, lastEvent(double, 'payment_intent.succeeded'));
    expect(await paidOf(body.invoiceId)).to.deep.equal(['Paid', 17]);
    expect(double.taken()).to.equal(taken + 1700);
  });

  describe('at the till', () => {
    const created = async () => {
      const shopper = shop.shopper();
      const { body } = await shop
        .given(...readyToPay(mug))
        .by(shopper)
        .when(post(`${checkout}/stripe/create-order`))
        .then(200, { success: true, clientToken: null });
      return { ...body, shopper, orderId: String(body.orderId), clientSecret: String(body.clientSecret) };
    };
    const capture = (shopper: Shopper, orderId: string) =>
      shop
        .given()
        .by(shopper)
        .when(post(`${checkout}/stripe/capture-order`, { orderId }));

    it('pay an order that is created for them, and captured once the sheet has paid', async () => {
      const { shopper, orderId, clientSecret, sdkConfig, invoiceId } = await created();
      expect(sdkConfig).to.include({ publishableKey: 'pk_test_1', amount: 1700, currency: 'gbp' });
      await confirmed(orderId, clientSecret);
      await capture(shopper, orderId).then(200, { success: true, status: 'Completed' });
      await tellShop(shop, lastEvent(double, 'payment_intent.succeeded'));
      expect(await paidOf(invoiceId)).to.deep.equal(['Paid', 17]);
    });

    it('pay it though the page is closed before it is captured', async () => {
      const { orderId, clientSecret, invoiceId } = await created();
      await confirmed(orderId, clientSecret);
      await tellShop(shop, lastEvent(double, 'payment_intent.succeeded'));
      expect(await paidOf(invoiceId)).to.deep.equal(['Paid', 17]);
    });

    it('leave it unpaid where the sheet was closed', async () => {
      const { shopper, orderId, invoiceId } = await created();
      await capture(shopper, orderId).then(200, { status: 'Pending', paymentId: null });
      expect((await paidOf(invoiceId))[1]).to.equal(0);
    });
  });

  describe('of a domain', () => {
    const validate = (changes: object = {}) =>
      post(`${checkout}/provider/wallet-validate`, {
        ...{ validationUrl: 'https://apple-pay-gateway.apple.com/', providerAlias: 'stripe' },
        ...changes,
      });

    it('are offered where it is registered at Stripe', async () => {
      await shop
        .given()
        .when(validate({ displayName: 'Mugs' }))
        .then(200, {
          ...{ domainName: '127.0.0.1', displayName: 'Mugs' },
          ...{ applePay: 'active', googlePay: 'active' },
        });
    });

    for (const [domain, says] of [
      ['unknown.example', 'Register unknown.example at Stripe as a domain of wallets.'],
      [
        'unproven.example',
        'Stripe does not offer Apple Pay at unproven.example: The domain could not be verified.',
      ],
    ] as const)
      it(`are refused in words at ${domain}`, async () => {
        const { config } = paidByStripe({ ...stripeKeys, apiBaseUrl: double.url });
        const other = await TestShop.open({ config: { ...config, publicBaseUrl: `https://${domain}` } });
        try {
          await other
            .given()
            .when(validate())
            .then(400, { message: says })
            .and(refusedFor('invalid-request'));
        } finally {
          await other.close();
        }
      });

    it('are asked for only so often for an address', async () => {
      const shopper = shop.shopper();
      let answer = await shopper.ask(validate());
      for (let more = 0; more < 40 && answer.status === 200; more++) answer = await shopper.ask(validate());
      expect([answer.status, answer.body.code]).to.deep.equal([429, 'too-many-requests']);
      expect(double.asked.filter(({ path }) => path === '/v1/payment_method_domains').length).to.be.at.most(
        40,
      );
    });
  });
});
