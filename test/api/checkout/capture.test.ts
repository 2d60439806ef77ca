import { expect } from 'chai';
import {
  add,
  get,
  giveAddresses,
  initialize,
  pay,
  post,
  showBasket,
  type Step,
} from '#test/support/requests.ts';
import { body, events, exactly, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const checkout = '/api/shop/checkout';
const email = (typed: unknown) => post(`${checkout}/capture-email`, { email: typed });
const address = (typed: object) => post(`${checkout}/capture-address`, typed);
const done = exactly({ success: true, message: '' });

describe('what is typed at the checkout', () => {
  let shop: TestShop;
  let mug: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100 });
  });
  after(() => shop.close());

  const withMug = (...steps: readonly Step[]) => shop.given(add(mug), ...steps);
  const shows = (...steps: readonly Step[]) =>
    withMug(...steps)
      .when(get(`${checkout}/basket`))
      .then(200);

  it('keeps an e-mail address once', async () => {
    await withMug()
      .when(email(' ada@example.com '))
      .then(200)
      .and(done)
      .and(events('ValueClaimed', 'CheckoutEmailCaptured'));
    await withMug(email('ada@example.com'))
      .when(email('ada@example.com'))
      .then(200)
      .and(done)
      .and(noNewEvents());
  });

  it('refuses what is no e-mail address, and needs something in the basket', async () => {
    for (const typed of [undefined, null, '', 'ada', 'ada@example', `${'a'.repeat(250)}@example.com`])
      await withMug()
        .when(email(typed))
        .then(400, {
          success: false,
          message: 'email: must be an e-mail address.',
          errors: { email: 'This is not an e-mail address.' },
        })
        .and(refusedFor('invalid-address'))
        .and(noNewEvents());
    await withMug().when(email(17)).then(400).and(refusedFor('invalid-request'));
    for (const request of [email('ada@example.com'), address({ billingAddress: { name: 'Ada' } })])
      await shop
        .given()
        .when(request)
        .then(400, { message: 'The basket is empty. Add a product first.' })
        .and(refusedFor('basket-not-found'))
        .and(noNewEvents());
  });

  it('takes addresses bit by bit: what is empty says nothing, but for the second line', async () => {
    const first = { name: 'Ada', addressOne: '1 High Street', addressTwo: 'Flat 2', countryCode: 'gb' };
    const second = { name: ' ', addressOne: '', addressTwo: '', townCity: 'London' };
    await withMug(address({ billingAddress: first }))
      .when(address({ billingAddress: second, email: 'ada@example.com' }))
      .then(200)
      .and(done)
      .and(events('CheckoutEmailCaptured', 'CheckoutAddressCaptured'));
    const { body: basket } = await shows(
      address({ billingAddress: first }),
      address({ billingAddress: second, email: 'ada@example.com' }),
    );
    for (const shown of [basket.billingAddress, basket.shippingAddress])
      expect(shown).to.include({
        name: 'Ada',
        addressOne: '1 High Street',
        addressTwo: null,
        townCity: 'London',
        countryCode: 'GB',
        country: 'United Kingdom',
        postalCode: '',
        email: 'ada@example.com',
      });
    expect(basket).to.include({ total: 12, shipping: 0 });
  });

  it('keeps two addresses apart where they are not the same, unchecked and cut', async () => {
    const { body: basket } = await shows(
      address({
        email: 'not yet',
        password: 'short',
        shippingSameAsBilling: false,
        billingAddress: { firstName: 'Ada', lastName: 'Lovelace', countryCode: 'XX', phone: 'call me' },
        shippingAddress: { name: 'Grace', townCity: 'x'.repeat(300) },
      }),
    );
    expect(basket.billingAddress).to.include({
      name: 'Ada Lovelace',
      countryCode: 'XX',
      country: '',
      email: null,
    });
    expect(basket.shippingAddress).to.include({ name: 'Grace', townCity: 'x'.repeat(250) });
  });

  it('writes nothing for nothing, nor for what is known', async () => {
    for (const typed of [
      {},
      { billingAddress: {} },
      { billingAddress: { name: '', addressTwo: '' } },
      { email: 'x' },
    ])
      await withMug().when(address(typed)).then(200).and(done).and(noNewEvents());
    const typed = { billingAddress: { name: 'Ada', countryCode: 'GB' }, email: 'ada@example.com' };
    await withMug(address(typed)).when(address(typed)).then(200).and(noNewEvents());
    await withMug(giveAddresses()).when(email('ada@example.com')).then(200).and(noNewEvents());
  });

  it('orders nothing: that takes the addresses, which win', async () => {
    const typed = address({
      email: 'ada@example.com',
      billingAddress: {
        name: 'Ada Lovelace',
        addressOne: '1 High Street',
        townCity: 'London',
        countryCode: 'GB',
        postalCode: 'SW1A 1AA',
      },
    });
    await withMug(typed, initialize()).when(pay()).then(400).and(refusedFor('checkout-incomplete'));
    const later = address({ billingAddress: { name: 'Mallory' } });
    await withMug(giveAddresses(), initialize(), later)
      .when(showBasket())
      .then(200)
      .and(body(({ billingAddress }) => expect(billingAddress.name).to.equal('Ada Lovelace')));
    await withMug(giveAddresses(), initialize(), later).when(pay()).then(200);
  });

  it('leaves an order that waits for its payment as it is', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(mug);
    const { invoiceId } = (await shopper.pay()).body;
    await shop.given(email('grace@example.com')).by(shopper).when(pay()).then(200, { invoiceId });
  });

  it('keeps a checkout from timing out', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(mug);
    const wait = () => shop.tester.post('/testing/clock', { advanceSeconds: 20 * 60 });
    await wait();
    await shop.given().by(shopper).when(email('grace@example.com')).then(200);
    await wait();
    await shop.given().by(shopper).when(pay()).then(200);
  });

  it('stands in the log under the basket’s own key', async () => {
    const shopper = shop.shopper();
    await shopper.add(mug);
    await shop
      .given(email('secret@example.com'))
      .by(shopper)
      .when(address({ billingAddress: { name: 'Secret Ada' } }))
      .then(200);
    const log = await shop.shop.runtime.store.readStream(`basket-${shopper.basketId}`);
    const texts = log.map(({ data }) => data).join();
    expect(texts).to.not.match(/secret/i);
    expect(log.slice(-2).map(({ type }) => type)).to.deep.equal([
      'CheckoutEmailCaptured',
      'CheckoutAddressCaptured',
    ]);
  });

  it('is forgotten with the customer of the e-mail address, who was not known yet', async () => {
    const typing = shop.shopper();
    await typing.add(mug);
    await shop.given().by(typing).when(email('Joan@example.com')).then(200);
    await withMug(giveAddresses({ email: 'joan@example.com' }))
      .when(initialize())
      .then(200);
    const typed = async () =>
      (await eventsIn(shop)).findLast(({ stream }) => stream === `basket-${typing.basketId}`)?.data;
    const known = (await eventsIn(shop)).findLast(({ type }) => type === 'CheckoutAddressesChanged');
    const { customerId } = known?.data as { readonly customerId: string };
    expect(await typed()).to.include({ email: 'Joan@example.com', customerId });
    await shop.shop.runtime.codec.keys.forget(customerId);
    expect(await typed()).to.include({ email: null });
  });

  it('is bounded', async () => {
    const shopper = shop.shopper();
    await shopper.add(mug);
    for (let time = 0; time < 60; time++) await shopper.ask(email('ada@example.com'));
    for (const request of [email('grace@example.com'), address({ billingAddress: { name: 'Grace' } })])
      await shop
        .given()
        .by(shopper)
        .when(request)
        .then(429)
        .and(refusedFor('too-many-requests'))
        .and(noNewEvents());
    await withMug().when(email('ada@example.com')).then(200);
  });
});
