import { expect } from 'chai';
import { confirmationResponse, linkedOrderResponse } from '#contracts/confirmation.contract.ts';
import { createOrderLinks } from '#runtime/order-links.ts';
import type { Browser } from '#test/support/browser.ts';
import { get, manage, ordered, pay, payInvoice, payThat, payThatByHand } from '#test/support/requests.ts';
import { body, exactly, refusedFor } from '#test/support/scene.ts';
import { Shopper, TestShop } from '#test/support/shop.ts';
import { Customer } from '#test/support/member-shop.ts';

const COOKIE = 'shop_confirmation';
const show = (invoiceId: string) => get(`/api/shop/checkout/confirmation/${invoiceId}`);

describe('GET /checkout/confirmation/{invoiceId}', () => {
  let shop: TestShop;
  let mug: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100 });
  });
  after(() => shop.close());

  /** Somebody who has bought two mugs, and their invoice. */
  const bought = async (pay = payThat()) => {
    const shopper = shop.shopper();
    const paid = await shop
      .given(...ordered(mug, 2))
      .by(shopper)
      .when(pay)
      .then(200);
    return { shopper, invoiceId: paid.body.invoiceId as string };
  };
  /** Somebody with nothing but this confirmation cookie. */
  const holding = (value: string | undefined): Browser => {
    const browser = new Shopper(shop.base);
    browser.cookies.set(COOKIE, value ?? '');
    return browser;
  };
  const isRefused = (by: Browser, invoiceId: string) =>
    shop
      .given()
      .by(by)
      .when(show(invoiceId))
      .then(403)
      .and(refusedFor('not-yours'))
      .and(
        exactly({
          success: false,
          code: 'not-yours',
          message: 'This order belongs to another customer.',
        }),
      );

  it('shows a buyer the whole order in the moment after the payment, by the cookie alone', async () => {
    const { shopper, invoiceId } = await bought();
    const { body: told } = await shop
      .given()
      .by(holding(shopper.cookies.get(COOKIE)))
      .when(show(invoiceId))
      .then(200, {
        success: true,
        message: '',
        invoiceId,
        email: 'ada@example.com',
        shipments: [
          { shippingMethodName: 'Parcel', deliveryEstimate: '3-5 days', cost: 5, formattedCost: '£5.00' },
        ],
        paymentMethod: 'Card',
        paymentStatus: 'Paid',
        amountPaid: 29,
        balanceDue: 0,
        isCancelled: false,
        isRefunded: false,
        notes: [],
        downloads: [],
      });
    expect(confirmationResponse.parse(told)).to.deep.equal(told);
    expect(told.invoiceNumber).to.match(/^INV-\d{4}$/);
    expect(told.dateCreated).to.match(/^\d{4}-\d\d-\d\dT/);
    for (const address of [told.billingAddress, told.shippingAddress])
      expect(address).to.include({ name: 'Ada Lovelace', countryCode: 'GB' });
    expect(told.lines).to.have.length(1);
    expect(told.lines[0]).to.include({ sku: 'mug', quantity: 2, unitPrice: 10, lineTotal: 20, tax: 4 });
    expect(told.lines[0]).to.include({ formattedLineTotal: '£20.00', lineItemType: 'Product' });
    for (const totals of [told.totals, told.displayTotals]) {
      expect(totals).to.include({ currencyCode: 'GBP', subTotal: 20, discount: 0, shipping: 5, tax: 4 });
      expect(totals).to.include({ total: 29, formattedTotal: '£29.00' });
    }
  });

  it('says how long the delivery takes as the buyer was told, whatever becomes of the option', async () => {
    const { shopper, invoiceId } = await bought();
    const [option] = (await shop.admin.ask(manage.get('/shipping-options'))).body.items;
    const path = `/shipping-options/${option.id}`;
    const changed = manage.put(path, { ...option, daysFrom: 10, daysTo: 20 });
    expect((await shop.admin.ask(changed)).status).to.equal(200);
    await shop.settle();
    const shown = await shopper.ask(show(invoiceId));
    expect(shown.body.shipments[0]).to.include({ deliveryEstimate: '3-5 days' });
    await shop.admin.ask(manage.put(path, option));
  });

  it('shows an owner an order before it is paid, as it stands', async () => {
    const shopper = shop.shopper();
    const placed = await shop
      .given(...ordered(mug))
      .by(shopper)
      .when(show('00000000-0000-4000-8000-000000000000'))
      .then(403);
    expect(placed.body.success).to.equal(false);
    const { invoiceId } = (await shopper.pay()).body;
    await shop
      .given()
      .by(shopper)
      .when(show(invoiceId))
      .then(200, { paymentMethod: null, paymentStatus: 'Unpaid', amountPaid: 0, balanceDue: 17 });
  });

  it('names how it was paid by hand, and says when the money was given back', async () => {
    const byHand = await bought(payThatByHand());
    await shop
      .given()
      .by(byHand.shopper)
      .when(show(byHand.invoiceId))
      .then(200, { paymentMethod: 'Manual payment' });
    const { shopper, invoiceId } = await bought();
    const listed = await shop
      .given()
      .by(shop.admin)
      .when(manage.get(`/invoices/${invoiceId}/payments`))
      .then(200);
    const [{ id }] = listed.body.items ?? listed.body;
    await shop
      .given()
      .by(shop.admin)
      .when(manage.post(`/payments/${id}/refund`, { reason: 'Damaged' }))
      .then(200);
    await shop
      .given()
      .by(shopper)
      .when(show(invoiceId))
      .then(200, { isRefunded: true, paymentStatus: 'Refunded', isCancelled: false, balanceDue: 0 });
  });

  it('is nobody else’s: not without a cookie, not with that of another order, a forged one or an old one', async () => {
    const { shopper, invoiceId } = await bought();
    const other = await bought();
    const cookie = shopper.cookies.get(COOKIE) ?? '';
    const [id = '', expiry = '', signature = ''] = cookie.split('.');
    await isRefused(shop.shopper(), invoiceId);
    await isRefused(other.shopper, invoiceId);
    await isRefused(holding(`${id}.${Number(expiry) + 1}.${signature}`), invoiceId);
    await isRefused(holding(`${other.invoiceId}.${expiry}.${signature}`), other.invoiceId);
    await isRefused(holding(`${id}.${expiry}.${signature.slice(1)}`), invoiceId);
    for (const value of ['', '.', '..', 'x', `${invoiceId}`, `${invoiceId}.`, `${id}.${expiry}.`])
      await isRefused(holding(value), invoiceId);
    await shop.given().by(holding(cookie)).when(show(invoiceId)).then(200);
    await shop.tester.post('/testing/clock', { advanceSeconds: 24 * 3600 });
    await isRefused(holding(cookie), invoiceId);
  });

  it('opens to the basket that follows for 24 hours, and to the bought one for good', async () => {
    const shopper = shop.shopper();
    const { body: placed } = await shop
      .given(...ordered(mug).slice(0, -1))
      .by(shopper)
      .when(pay())
      .then(200);
    const boughtBasket = shopper.cookies.get('shop_basket');
    const invoiceId = String(placed.invoiceId);
    await shop.given().by(shopper).when(payInvoice(invoiceId)).then(200, { status: 'Completed' });
    const bare = (basket: string | undefined): Browser => {
      const browser = new Shopper(shop.base);
      browser.cookies.set('shop_basket', basket ?? '');
      return browser;
    };
    const next = bare(shopper.cookies.get('shop_basket'));
    await shop.tester.post('/testing/clock', { advanceSeconds: 24 * 3600 - 60 });
    await shop.given().by(next).when(show(invoiceId)).then(200, { invoiceId });
    await shop.tester.post('/testing/clock', { advanceSeconds: 60 });
    await isRefused(next, invoiceId);
    await shop.given().by(bare(boughtBasket)).when(show(invoiceId)).then(200, { invoiceId });
  });

  it('shows the notes that staff have written for the buyer, and no others', async () => {
    const { shopper, invoiceId } = await bought();
    const note = (body: object) => shop.admin.ask(manage.post(`/orders/${invoiceId}/notes`, body));
    await note({ text: 'Ask for the key next door.', isVisibleToCustomer: true });
    await note({ text: 'Always late to pay.' });
    await note({ text: 'Sent <b>today</b>.', visibleToCustomer: true });
    const { body: told } = await shop.given().by(shopper).when(show(invoiceId)).then(200);
    expect(confirmationResponse.parse(told)).to.deep.equal(told);
    expect(told.notes.map(({ text }: { text: string }) => text)).to.deep.equal([
      'Ask for the key next door.',
      'Sent <b>today</b>.',
    ]);
  });

  it('tells strangers alike of an order that there is and one that there is not; what is no id is no page', async () => {
    const { invoiceId } = await bought();
    await isRefused(shop.shopper(), invoiceId);
    await isRefused(shop.shopper(), '00000000-0000-4000-8000-000000000000');
    await shop.given().when(show('17')).then(404);
  });

  it('is shown by its link to whoever has that, without anything personal; no other key opens it', async () => {
    const { invoiceId } = await bought();
    const [order] = (await shop.shown(`/orders/${invoiceId}`)).orders;
    const sent = { lineItems: { [order.lineItems[0].id]: 1 }, carrier: 'Post', trackingNumber: 'P1' };
    await shop
      .given()
      .by(shop.admin)
      .when(manage.post(`/orders/${order.id}/shipments`, sent))
      .then(201);
    const link = createOrderLinks(shop.shop.runtime.applicationKey).linkTo(invoiceId, shop.base);
    const { search } = new URL(link);
    const linked = (id: string, query: string) =>
      shop.given().when(get(`/api/shop/storefront/orders/${id}${query}`));
    const { body: told } = await linked(invoiceId, search).then(200, { invoiceId, paymentStatus: 'Paid' });
    expect(linkedOrderResponse.strict().parse(told)).to.deep.equal(told);
    expect(told.lines[0]).to.include({ sku: 'mug', quantity: 2, lineTotal: 20 });
    expect(told.displayTotals).to.include({ total: 29, currencyCode: 'GBP' });
    expect(told.parcels[0]).to.include({ carrier: 'Post', trackingNumber: 'P1' });
    for (const personal of ['Ada', 'ada@', 'St James', 'ddress'])
      expect(JSON.stringify(told)).to.not.include(personal);
    for (const query of ['', '?key=', '?key=x', `${search}A`, `${search}&key=x`])
      await linked(invoiceId, query).then(404).and(refusedFor('invoice-not-found'));
    await linked('00000000-0000-4000-8000-000000000000', search).then(404);
  });

  it('shows a member what they bought, whatever cookies they have', async () => {
    const member = new Customer(shop.base);
    await member.register('grace@example.com', mug);
    await member.initialize();
    const { invoiceId } = (await member.pay()).body;
    const elsewhere = new Customer(shop.base);
    await elsewhere.signIn('grace@example.com');
    elsewhere.cookies.delete('shop_basket');
    await shop
      .given()
      .by(elsewhere)
      .when(show(invoiceId))
      .then(200, { email: 'grace@example.com' })
      .and(body(({ lines }) => expect(lines).to.have.length(1)));
  });
});
