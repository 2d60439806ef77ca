import { expect } from 'chai';
import type { Request } from '#test/support/browser.ts';
import { add, get, manage, pay, post, readyToPay, type Step } from '#test/support/requests.ts';
import { sendEvent } from '#test/support/provider-callbacks.ts';
import { body, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';
import { eventsIn } from '#test/support/shop-log.ts';

const checkout = '/api/shop/checkout';
const wallet = {
  fullName: 'Ada Lovelace',
  line1: '12 St James Square',
  line2: 'Flat 1',
  city: 'London',
  postalCode: 'SW1Y 4JH',
  countryCode: 'GB',
};
const customerData = { email: 'ada@example.com', shippingAddress: wallet, billingAddress: wallet };
const buy = (changes: object = {}): Request =>
  post(`${checkout}/express`, {
    providerAlias: 'sandbox',
    methodAlias: 'wallet',
    paymentToken: 'tok_success',
    customerData,
    ...changes,
  });
const makeIntent = (changes: object = {}): Request =>
  post(`${checkout}/express-payment-intent`, { providerAlias: 'sandbox', ...changes });

describe('express checkout', () => {
  let shop: TestShop;
  let mug: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100 });
    const { body: warehouses } = await shop.admin.ask(manage.get('/warehouses'));
    const serviceRegions = [{ countryCode: 'GB' }];
    await shop.admin.ask(manage.put(`/warehouses/${warehouses.items[0].id}`, { serviceRegions }));
  });
  after(() => shop.close());

  const by = (shopper: Shopper, ...steps: readonly Step[]) => shop.given(...steps).by(shopper);

  describe('with a wallet', () => {
    it('buys a basket in one step: address, cheapest shipping, order and payment', async () => {
      const shopper = shop.shopper();
      const { body: bought } = await by(shopper, add(mug))
        .when(buy())
        .then(200, { success: true, status: 'completed', errorMessage: null, errorCode: null })
        .and(
          body((answer) => {
            const confirmationUrl = `/checkout/confirmation/${answer.invoiceId}`;
            expect(answer).to.include({ confirmationUrl, redirectUrl: confirmationUrl });
          }),
        );
      expect((await shop.charges(bought.invoiceId)).map(({ amount }) => amount)).to.deep.equal([17]);
      expect([...shopper.cookies.keys()]).to.include('shop_confirmation');
      const created = (await eventsIn(shop)).findLast(({ type }) => type === 'InvoiceCreated');
      expect(created?.data).to.have.nested.property('shippingAddress.addressTwo', 'Flat 1');
    });

    it('takes the fields of the till, and those at the top, too', async () => {
      const address = {
        name: 'Ada',
        addressOne: '1 High St',
        townCity: 'Leeds',
        postalCode: 'LS1',
        countryCode: 'GB',
      };
      await by(shop.shopper(), add(mug))
        .when(buy({ customerData: null, email: 'a@example.com', shippingAddress: address }))
        .then(200, { status: 'completed' });
      await by(shop.shopper(), ...readyToPay(mug))
        .when(buy({ customerData: null }))
        .then(200, { status: 'completed' });
    });

    it('says no, waits, or sends on to the bank, as a card would', async () => {
      for (const [paymentToken, answer] of [
        ['tok_decline', { success: false, status: 'unknown', errorMessage: 'The card was declined.' }],
        ['tok_pending', { success: true, status: 'pending', redirectUrl: null }],
        ['tok_3ds', { success: true, status: 'pending' }],
      ] as const)
        await by(shop.shopper(), add(mug)).when(buy({ paymentToken })).then(200, answer);
      await by(shop.shopper(), add(mug))
        .when(buy({ paymentToken: 'tok_unavailable' }))
        .then(503)
        .and(refusedFor('provider-unavailable'));
    });

    it('records nothing where the basket cannot be sent, or nobody can be written to', async () => {
      const to = (address: object) =>
        buy({ customerData: { ...customerData, shippingAddress: { ...wallet, ...address } } });
      await by(shop.shopper(), add(mug))
        .when(to({ countryCode: 'FR' }))
        .then(422, { success: false })
        .and(refusedFor('cannot-ship'))
        .and(noNewEvents());
      await by(shop.shopper(), add(mug))
        .when(to({ line1: '' }))
        .then(400)
        .and(refusedFor('invalid-address'))
        .and(body(({ errors }) => expect(errors).to.have.property('shipping.addressOne')))
        .and(noNewEvents());
      await by(shop.shopper(), add(mug))
        .when(buy({ customerData: { ...customerData, email: 'nobody' } }))
        .then(400)
        .and(body(({ errors }) => expect(errors).to.have.property('email')))
        .and(noNewEvents());
    });

    it('refuses what it cannot take before anything is recorded', async () => {
      const shopper = shop.shopper();
      await by(shopper, add(mug))
        .when(buy({ paymentToken: 'nonsense' }))
        .then(400, { message: 'paymentToken: unknown sandbox token' })
        .and(noNewEvents());
      await by(shopper)
        .when(buy({ methodAlias: 'card' }))
        .then(400, { message: 'methodAlias: must be a wallet of the provider (wallet).' });
      await by(shopper)
        .when(buy({ providerAlias: 'manual', methodAlias: null }))
        .then(400, { message: 'methodAlias: must be a wallet of the provider (none).' });
      await by(shop.shopper()).when(buy()).then(400).and(refusedFor('basket-not-found'));
    });

    it('says in a word that goods are gone', async () => {
      const last = await shop.sell('last', { price: 10, stock: 1 });
      const waiting = shop.shopper();
      await by(waiting).when(add(last)).then(200);
      await by(shop.shopper(), add(last)).when(buy()).then(200, { status: 'completed' });
      await by(waiting).when(buy()).then(400, { success: false, errorCode: 'STOCK_UNAVAILABLE' });
    });
  });

  describe('with an intent', () => {
    it('is bound to the basket and what it comes to, whatever the caller says', async () => {
      const shopper = shop.shopper();
      const { body: made } = await by(shopper, add(mug))
        .when(makeIntent({ amount: 1, currency: 'JPY' }))
        .then(200, { success: true, errorMessage: null });
      expect(made.clientSecret).to.equal(`${made.paymentIntentId}_secret`);
      await by(shopper).when(makeIntent()).then(200, { paymentIntentId: made.paymentIntentId });
      const { paymentIntentId } = made;
      await by(shop.shopper(), add(mug))
        .when(buy({ providerData: { paymentIntentId } }))
        .then(409)
        .and(refusedFor('intent-mismatch'))
        .and(noNewEvents());
      const { body: bought } = await by(shopper)
        .when(buy({ paymentIntentId }))
        .then(200, { status: 'completed' });
      expect(await shop.charges(bought.invoiceId)).to.have.length(1);
    });

    it('that has paid an invoice pays no other', async () => {
      const shopper = shop.shopper();
      const { body: made } = await by(shopper, add(mug)).when(makeIntent()).then(200);
      const { body: other } = await by(shop.shopper(), ...readyToPay(mug))
        .when(pay())
        .then(200);
      // As when the first order of the basket was replaced before the payment was noted on it.
      const payment = { transactionId: made.paymentIntentId, amount: 17, currency: 'GBP' };
      await sendEvent(shop.tester, {
        type: 'PaymentCompleted',
        data: { ...payment, invoiceId: other.invoiceId },
      });
      await by(shopper)
        .when(buy({ paymentIntentId: made.paymentIntentId }))
        .then(409)
        .and(refusedFor('intent-mismatch'));
      const taken = (await eventsIn(shop)).filter(({ type }) => type === 'PaymentCaptured');
      const transactions = taken.map(({ data }) => (data as Record<string, unknown>)['transactionId']);
      expect(transactions.filter((id) => id === made.paymentIntentId)).to.have.length(1);
    });

    /** The wallet has paid in the intent, and the page was closed before it could say so. */
    const paidAlone = async (shopper: Shopper) => {
      const { body: made } = await by(shopper, add(mug)).when(makeIntent()).then(200);
      const data = { transactionId: String(made.paymentIntentId), amount: 17, currency: 'GBP' };
      return { data, told: () => sendEvent(shop.tester, { type: 'PaymentCompleted', data }) };
    };
    const paymentsOf = async (transactionId: string) =>
      (await eventsIn(shop)).filter(
        ({ type, data }) =>
          type === 'PaymentCaptured' && (data as { transactionId?: string }).transactionId === transactionId,
      );

    it('that was paid by itself is of the order of its basket, without the wallet coming back', async () => {
      const shopper = shop.shopper();
      const { data, told } = await paidAlone(shopper);
      const { body: ordered } = await by(shopper, ...readyToPay(mug).slice(1))
        .when(pay())
        .then(200);
      await told();
      const [payment, ...others] = await paymentsOf(data.transactionId);
      expect(payment?.stream).to.equal(`invoice-${ordered.invoiceId}`);
      expect(others).to.deep.equal([]);
    });

    it('that was paid by itself before there is an order waits for it', async () => {
      const shopper = shop.shopper();
      const { data, told } = await paidAlone(shopper);
      await told();
      expect(await paymentsOf(data.transactionId)).to.deep.equal([]);
      const { body: ordered } = await by(shopper, ...readyToPay(mug).slice(1))
        .when(pay())
        .then(200);
      const job = shop.shop.services
        .flatMap(({ jobs }) => jobs)
        .find(({ name }) => name === 'apply-parked-callbacks');
      await job?.runOnce(Date.now() + 60_000);
      const [payment] = await paymentsOf(data.transactionId);
      expect(payment?.stream).to.equal(`invoice-${ordered.invoiceId}`);
    });

    it('over another amount charges nothing', async () => {
      const shopper = shop.shopper();
      const { body: made } = await by(shopper, add(mug)).when(makeIntent()).then(200);
      await by(shopper, add(mug))
        .when(buy({ paymentIntentId: made.paymentIntentId }))
        .then(409, {
          message:
            'The payment intent is of another basket or another amount. Nothing was charged; start again.',
        });
      const charged = (await shop.charges()).length;
      const { body: again } = await by(shopper).when(makeIntent()).then(200);
      expect(again.paymentIntentId).to.not.equal(made.paymentIntentId);
      await by(shopper)
        .when(buy({ paymentIntentId: again.paymentIntentId }))
        .then(200, { status: 'completed' });
      expect((await shop.charges()).length).to.equal(charged + 1);
    });
  });

  describe('before it', () => {
    it('tells a wallet what to show, and what it may not be used for is empty', async () => {
      await by(shop.shopper(), add(mug))
        .when(get(`${checkout}/express-config`))
        .then(200, { currency: 'GBP', amount: 17, subTotal: 10, decimalPlaces: 2, countryCode: 'GB' })
        .and(body(({ methods }) => expect(methods).to.have.length(1)));
      await by(shop.shopper())
        .when(get(`${checkout}/express-config`))
        .then(200, { amount: 0, methods: [] });
      await by(shop.shopper())
        .when(get(`${checkout}/express-methods`))
        .then(200)
        .and(
          body((methods) =>
            expect(methods[0]).to.include({ providerAlias: 'sandbox', methodAlias: 'wallet' }),
          ),
        );
    });

    it('lists ways to pay at the till and by wallets apart', async () => {
      const { body: options } = await by(shop.shopper())
        .when(get(`${checkout}/payment-options`))
        .then(200, { hasSavedPaymentMethods: false, canSavePaymentMethods: false, saved: [] });
      const named = (list: { methodAlias: string }[]) => list.map(({ methodAlias }) => methodAlias);
      expect(named(options.standard)).to.deep.equal(['manual', 'card', 'redirect', 'widget']);
      expect(named(options.express)).to.deep.equal(['wallet']);
      expect(options.providers).to.deep.equal(options.standard);
    });
  });

  describe("with a provider's widget", () => {
    const create = (changes: object = {}) => post(`${checkout}/sandbox/create-order`, changes);
    const capture = (changes: object) => post(`${checkout}/sandbox/capture-order`, changes);

    it('creates its order with the invoice, and completes it for the owner', async () => {
      const shopper = shop.shopper();
      const { body: created } = await by(shopper, ...readyToPay(mug))
        .when(create())
        .then(200, { success: true });
      const { orderId, invoiceId } = created;
      await by(shop.shopper()).when(capture({ orderId })).then(403).and(refusedFor('not-yours'));
      await by(shopper)
        .when(capture({ orderId: 'nobody' }))
        .then(404)
        .and(refusedFor('payment-not-found'));
      await by(shopper).when(capture({})).then(400).and(refusedFor('invalid-request'));
      await by(shopper)
        .when(capture({ orderId, invoiceId }))
        .then(200, { success: true, status: 'Completed', invoiceId, transactionId: orderId });
      expect([...shopper.cookies.keys()]).to.include('shop_confirmation');
      expect(await shop.charges(invoiceId)).to.have.length(1);
    });

    it('says what the provider says', async () => {
      const shopper = shop.shopper();
      const { body: created } = await by(shopper, ...readyToPay(mug))
        .when(create())
        .then(200);
      await by(shopper)
        .when(capture({ orderId: created.orderId, outcome: 'decline' }))
        .then(200, { success: false, status: 'Failed', errorMessage: 'The card was declined.' });
      const { body: next } = await by(shopper).when(create()).then(200, { invoiceId: created.invoiceId });
      expect(next.orderId).to.not.equal(created.orderId);
    });

    it('is one of those that the provider has', async () => {
      const shopper = shop.shopper();
      await by(shopper, ...readyToPay(mug))
        .when(create({ methodAlias: 'card' }))
        .then(400, { message: 'methodAlias: must be a widget of the provider (widget).' });
      await by(shopper)
        .when(post(`${checkout}/nobody/create-order`, {}))
        .then(404)
        .and(refusedFor('not-found'));
    });
  });

  describe('the merchant of a wallet', () => {
    const validate = (validationUrl: unknown, changes: object = {}) =>
      post(`${checkout}/provider/wallet-validate`, { validationUrl, ...changes });

    it("is validated where the wallet's makers are", async () => {
      await by(shop.shopper())
        .when(
          validate('https://apple-pay-gateway.apple.com/paymentservices/startSession', {
            displayName: 'Mugs',
          }),
        )
        .then(200, { displayName: 'Mugs', domainName: '127.0.0.1' });
    });

    for (const address of [
      'http://apple-pay-gateway.apple.com/',
      'https://user@apple-pay-gateway.apple.com/',
      'https://apple-pay-gateway.apple.com:8443/',
      'https://apple.com.example/',
      'https://notapple.com/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://169.254.169.254/latest/meta-data',
      'gateway.apple.com',
    ]) {
      it(`is never validated at ${address}`, async () => {
        const message = 'validationUrl: must be an https address of a host under .apple.com, at port 443.';
        await by(shop.shopper())
          .when(validate(address))
          .then(400, { success: false, message })
          .and(noNewEvents());
      });
    }

    it('is that of a provider with a wallet', async () => {
      const address = 'https://apple-pay-gateway.apple.com/';
      await by(shop.shopper())
        .when(validate(address, { providerAlias: 'manual' }))
        .then(400, { message: 'providerAlias: must be a provider with a wallet.' });
      await by(shop.shopper()).when(validate(null)).then(400).and(refusedFor('invalid-request'));
    });
  });

  const toggle = (isEnabled: boolean) =>
    shop.admin.ask(manage.post('/payment-providers/sandbox/toggle', { isEnabled }));

  it('offers nothing of a provider that is off', async () => {
    await toggle(false);
    try {
      await by(shop.shopper(), add(mug)).when(buy()).then(400).and(refusedFor('invalid-request'));
      await by(shop.shopper())
        .when(get(`${checkout}/express-methods`))
        .then(200)
        .and(body((list) => expect(list).to.deep.equal([])));
    } finally {
      await toggle(true);
    }
  });
});
