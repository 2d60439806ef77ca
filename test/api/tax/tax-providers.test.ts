import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import {
  add,
  giveAddresses,
  initialize,
  manage,
  pay,
  readyToPay,
  showBasket,
} from '#test/support/requests.ts';
import { body, events, exactly, noNewEvents, refusedFor, type Check } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const basketOf = (wanted: object): Check => body(({ basket }) => expect(basket).to.include(wanted));

describe('providers of tax (docs/rules/tax.md#providers)', () => {
  let shop: TestShop;
  let mug: string;
  beforeEach(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 50 });
  });
  afterEach(() => shop.close());

  const { when } = managing(() => shop);
  const activate = (alias = 'test') => when(manage.put(`/tax-providers/${alias}/activate`, {})).then(200);
  const set = (configuration: object) =>
    when(manage.put('/tax-providers/test/settings', { configuration })).then(200);

  it('are listed, set, tried out and chosen by the backoffice', async () => {
    await when(manage.get('/tax-providers'))
      .then(200)
      .and(
        body((list) =>
          expect(list.map((one: { alias: string }) => one.alias)).to.deep.equal(['manual', 'test']),
        ),
      );
    await when(manage.get('/tax-providers/active')).then(200, { alias: 'manual', isActive: true });
    await when(manage.get('/tax-providers/test/fields'))
      .then(200)
      .and(
        body(([field]) =>
          expect(field).to.include({ key: 'ratePercent', isSecret: false, defaultValue: '10' }),
        ),
      );
    await when(manage.put('/tax-providers/test/settings', { configuration: { ratePercent: 7.5 } }))
      .then(200, { alias: 'test', isActive: false, configuration: { ratePercent: 7.5 } })
      .and(events('TaxProviderConfigured'));
    await set({ ratePercent: 7.5 }).and(noNewEvents());
    await when(manage.post('/tax-providers/test/test'))
      .then(200)
      .and(exactly({ success: true, errorMessage: null }))
      .and(noNewEvents());
    await activate().and(events('TaxProviderActivated'));
    await when(manage.get('/tax-providers/active')).then(200, { alias: 'test' });
    await set({ behaviour: 'fails' });
    await when(manage.post('/tax-providers/test/test')).then(200, {
      success: false,
      errorMessage: 'the test provider is away',
    });
  });

  it('are set to what the log holds only sealed', async () => {
    await set({ ratePercent: 12.34 });
    const stored = await shop.shop.runtime.store.readAll(0);
    const events = stored.filter(({ type }) => type === 'TaxProviderConfigured');
    expect(events).to.not.deep.equal([]);
    expect(JSON.stringify(events)).to.not.include('12.34');
  });

  it('are refused where there is no such one, or what they are set to is wrong', async () => {
    for (const request of [
      manage.put('/tax-providers/acme/activate', {}),
      manage.put('/tax-providers/acme/settings', { configuration: {} }),
      manage.post('/tax-providers/acme/test'),
      manage.get('/tax-providers/acme/fields'),
    ])
      await when(request).then(404).and(refusedFor('entity-not-found')).and(noNewEvents());
    await when(
      manage.put('/tax-providers/test/settings', { configuration: { ratePercent: 'high', rate: 1 } }),
    )
      .then(400)
      .and(
        body(({ errors }) =>
          expect(errors).to.have.members([
            'configuration.rate: there is no such field',
            'configuration.ratePercent: must be a number',
          ]),
        ),
      )
      .and(noNewEvents());
  });

  it('are not asked at adds: the own rates hold until there is an address', async () => {
    await activate();
    await shop
      .given()
      .when(add(mug, 2))
      .then(200, { tax: 4, isTaxEstimated: true, taxEstimationReason: 'ShippingAddressMissing' });
  });

  it('say the tax from the address on, and again for what shipping costs; an add goes back to the own rates', async () => {
    await activate();
    await shop
      .given(add(mug, 2))
      .when(giveAddresses())
      .then(200)
      .and(basketOf({ tax: 2, total: 22, isTaxEstimated: false, taxEstimationReason: null }));
    await shop
      .given(add(mug, 2), giveAddresses())
      .when(initialize())
      .then(200)
      .and(basketOf({ shipping: 5, tax: 2.5, total: 27.5, isTaxEstimated: false }));
    await shop
      .given(add(mug, 2), giveAddresses(), initialize())
      .when(add(mug))
      .then(200, { tax: 6, isTaxEstimated: true, taxEstimationReason: 'BasketChanged' });
  });

  it('decide the tax of an invoice, which is what was shown', async () => {
    await activate();
    await set({ ratePercent: 7.5, shippingRatePercent: 0 });
    const paid = await shop
      .given(...readyToPay(mug, 2))
      .when(pay())
      .then(200);
    await shop.settle();
    const { body: order } = await shop.admin.ask(manage.get(`/orders/${paid.body.invoiceId}`));
    expect(order).to.include({ tax: 1.5, total: 26.5 });
    expect(order.orders[0].lineItems?.[0] ?? order.orders[0].lines?.[0]).to.include({ taxRate: 7.5 });
  });

  it('ask the shopper first where the order costs another tax than was estimated', async () => {
    await activate();
    await set({ finalDelta: 5 });
    const shopper = shop.shopper();
    for (const step of readyToPay(mug, 2)) await shopper.ask(step as never);
    const first = await shopper.ask(pay());
    expect(first).to.include({ status: 400, code: 'basket-changed' });
    expect(first.body.basket).to.include({ tax: 2.5 });
  });

  for (const behaviour of ['fails', 'nonsense', 'floods']) {
    it(`hold up no checkout, and fail an order before anything is charged: ${behaviour}`, async () => {
      await activate();
      await set({ behaviour });
      await shop
        .given(add(mug, 2), giveAddresses())
        .when(initialize())
        .then(200)
        .and(basketOf({ tax: 4, isTaxEstimated: true, taxEstimationReason: 'ProviderUnavailable' }));
      await shop
        .given(...readyToPay(mug, 2))
        .when(pay())
        .then(503, { success: false })
        .and(refusedFor('tax-unavailable'))
        .and(noNewEvents());
      expect(await shop.charges()).to.deep.equal([]);
    });
  }

  it('take the order once the provider is back, and the own rates once they are chosen again', async () => {
    await activate();
    await set({ behaviour: 'fails' });
    const shopper = shop.shopper();
    for (const step of readyToPay(mug, 2)) await shopper.ask(step as never);
    expect((await shopper.ask(pay())).status).to.equal(503);
    await set({});
    expect((await shopper.ask(initialize())).status).to.equal(200);
    expect((await shopper.ask(pay())).status).to.equal(200);
    await activate('manual');
    await shop
      .given(...readyToPay(mug, 2))
      .when(showBasket())
      .then(200, { isTaxEstimated: false, taxEstimationReason: null, tax: 4 });
  });

  it('cannot be chosen where the configuration names one', async () => {
    const named = await TestShop.open({ environment: { Tax__Provider: 'manual' } });
    const answer = await named.admin.ask(manage.put('/tax-providers/test/activate', {}));
    expect(answer).to.include({ status: 409, code: 'setting-fixed' });
    await named.close();
    const unknown = await TestShop.open({ environment: { Tax__Provider: 'acme' } }).catch(
      (error: unknown) => error,
    );
    expect(unknown).to.be.instanceOf(Error).with.property('message').that.includes('Tax.Provider');
  });
});
