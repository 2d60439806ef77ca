import { expect } from 'chai';
import type { Request } from '#test/support/browser.ts';
import {
  add,
  applyCode,
  get,
  giveAddresses,
  initialize,
  keyed,
  manage,
  pay,
  payByHand,
  payThat,
  post,
  readyToPay,
  showBasket,
  type Step,
} from '#test/support/requests.ts';
import { body, exactly, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const checkout = '/api/shop/checkout';

describe('POST /checkout/pay', () => {
  let shop: TestShop;
  let mug: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100 });
  });
  after(() => shop.close());

  /** Puts other fields on the variant that is sold under this id. */
  const change = async (productId: string, fields: object): Promise<void> => {
    const rootId = shop.shop.runtime.reference.catalogue.variant(productId)?.rootId;
    await shop
      .given()
      .by(shop.admin)
      .when(manage.put(`/products/${rootId}/variants/${productId}`, fields))
      .then(200);
    await shop.settle();
  };
  const chargesFor = async (invoiceId: string) =>
    (await shop.charges()).filter((charge) => charge.invoiceId === invoiceId).map(({ amount }) => amount);

  it('refuses digital products to guests, with 400', async () => {
    const digital = { rootName: 'E-book', sku: 'EBOOK', price: 9, isDigitalProduct: true };
    const { body: book } = await shop.admin.ask(manage.post('/products', digital));
    await shop.settle();
    await shop
      .given(add(mug), giveAddresses(), add(book.variants[0].id))
      .when(pay())
      .then(400)
      .and(refusedFor('account-required'))
      .and(body(({ message }) => expect(message).to.match(/account/)));
  });

  it('makes an invoice and says how it is paid', async () => {
    await shop
      .given(...readyToPay(mug, 2))
      .when(pay())
      .then(200, {
        success: true,
        message: '',
        errorMessage: null,
        redirectUrl: null,
        clientSecret: null,
        sdkConfig: {},
        integrationType: 'HostedFields',
        providerAlias: 'sandbox',
        methodAlias: 'card',
        formFields: [],
      })
      .and(body(({ invoiceId }) => expect(invoiceId).to.match(/^[0-9a-f-]{36}$/)));
  });

  it('numbers invoices without a gap, whatever was refused in between', async () => {
    const rare = await shop.sell('rare', { price: 1, stock: 1 });
    const late = shop.shopper();
    await late.prepare(rare);
    const { body: first } = await shop
      .given(...readyToPay(rare))
      .when(pay())
      .then(200);
    await shop.given().by(late).when(pay()).then(400).and(refusedFor('items-unavailable'));
    const { body: second } = await shop
      .given(...readyToPay(mug))
      .when(pay())
      .then(200);
    const numberOf = async (invoiceId: string): Promise<number> => {
      const [created] = await shop.shop.runtime.store.readStream(`invoice-${invoiceId}`, { limit: 1 });
      const { invoiceNumber } = JSON.parse(created?.data ?? '{}') as { invoiceNumber: string };
      return Number(invoiceNumber.replace('INV-', ''));
    };
    expect(await numberOf(second.invoiceId)).to.equal((await numberOf(first.invoiceId)) + 1);
  });

  it('refuses what is missing, in the order of checkout', async () => {
    const isRefused = (request: Request, code: string, ...steps: readonly Step[]) =>
      shop
        .given(...steps)
        .when(request)
        .then(400, { success: false })
        .and(refusedFor(code));
    await isRefused(pay(), 'basket-not-found');
    await isRefused(post(`${checkout}/pay`), 'invalid-request', add(mug));
    await isRefused(pay({ cancelUrl: undefined }), 'invalid-request', add(mug));
    await isRefused(pay({ providerAlias: 'nobody' }), 'invalid-request', add(mug));
    await isRefused(pay({ methodAlias: 'cheque' }), 'invalid-request', add(mug));
    const { body: early } = await isRefused(pay(), 'checkout-incomplete', add(mug));
    expect(early.message).to.include('address');
  });

  it('chooses the shipping when nobody has', async () => {
    const { body: paid } = await shop
      .given(add(mug), giveAddresses(), pay())
      .when(payThat())
      .then(200, { status: 'Completed' });
    expect(await chargesFor(paid.invoiceId)).to.deep.equal([17]);
  });

  it('asks first when a price has moved, and takes the new one when it is paid again', async () => {
    const tea = await shop.sell('tea', { price: 4 });
    const shopper = shop.shopper();
    await shopper.prepare(tea);
    await change(tea, { price: 6 });
    await shop
      .given()
      .by(shopper)
      .when(pay())
      .then(400, { success: false, warnings: [] })
      .and(refusedFor('basket-changed'))
      .and(body(({ basket }) => expect(basket).to.include({ subTotal: 6, total: 12.2 })));
    await shop.given().by(shopper).when(showBasket()).then(200, { total: 12.2 });
    await shop.given().by(shopper).when(pay()).then(200);
  });

  it('takes the second press for a yes under the same idempotency key too, and a third for a repeat', async () => {
    const ink = await shop.sell('ink', { price: 4 });
    const shopper = shop.shopper();
    await shopper.prepare(ink);
    const press = keyed('one-order', pay());
    for (const price of [6, 7]) {
      await change(ink, { price });
      await shop
        .given()
        .by(shopper)
        .when(press)
        .then(400)
        .and(body(({ basket }) => expect(basket.subTotal).to.equal(price)));
    }
    const { body: bought } = await shop.given().by(shopper).when(press).then(200);
    await shop.given().by(shopper).when(press).then(200).and(exactly(bought)).and(noNewEvents());
    await shopper.payWith(bought.invoiceId);
    expect(await chargesFor(bought.invoiceId)).to.deep.equal([13.4]);
  });

  it('asks first when a code has fallen away', async () => {
    const id = await shop.discount('GONE', 10);
    const shopper = shop.shopper();
    await shop
      .given(...readyToPay(mug))
      .by(shopper)
      .when(applyCode('GONE'))
      .then(200);
    await shop
      .given()
      .by(shop.admin)
      .when(manage.post(`/discounts/${id}/deactivate`))
      .then(200);
    await shop
      .given()
      .by(shopper)
      .when(pay())
      .then(400)
      .and(refusedFor('basket-changed'))
      .and(
        body(({ warnings, basket }) => {
          expect(warnings).to.have.length(1);
          expect(basket).to.deep.include({ discount: 0, appliedDiscounts: [] });
        }),
      );
    await shop.given().by(shopper).when(pay()).then(200);
  });

  it('names everything that cannot be bought', async () => {
    const few = await shop.sell('few', { price: 1, stock: 2 });
    const gone = await shop.sell('gone', { price: 1 });
    const shopper = shop.shopper();
    await shop
      .given(...readyToPay(few, 2), add(gone))
      .by(shopper)
      .when(initialize())
      .then(200);
    await shop
      .given(...readyToPay(few))
      .when(pay())
      .then(200);
    await change(gone, { availableForPurchase: false });
    const { body: refused } = await shop
      .given()
      .by(shopper)
      .when(pay())
      .then(400, { success: false })
      .and(refusedFor('items-unavailable'));
    const items = refused.unavailableItems as readonly { readonly sku: string }[];
    expect(items.map(({ sku }) => sku)).to.have.members(['few', 'gone']);
    const short = { requestedQuantity: 2, availableQuantity: 1 };
    expect(items.find(({ sku }) => sku === 'few')).to.include(short);
  });

  it('pays an order that costs nothing at once', async () => {
    const { body: houses } = await shop.admin.ask(manage.get('/warehouses'));
    const option = { name: 'Gift', warehouseId: houses.items[0].id, fixedCost: 0 };
    const { body: created } = await shop.admin.ask(manage.post('/shipping-options', option));
    const gift = await shop.sell('gift', { price: 0 });
    const shopper = shop.shopper();
    const { body: placed } = await shop
      .given(...readyToPay(gift))
      .by(shopper)
      .when(pay())
      .then(200)
      .and(
        body(({ redirectUrl, invoiceId }) =>
          expect(redirectUrl).to.equal(`/checkout/confirmation/${invoiceId}`),
        ),
      );
    await shop.given().by(shopper).when(showBasket()).then(200, { lineItems: [] });
    expect(await chargesFor(placed.invoiceId)).to.deep.equal([]);
    await shop
      .given()
      .by(shop.admin)
      .when(manage.delete(`/shipping-options/${created.id}`))
      .then(204);
    await shop.settle();
  });
});

describe('terms and payment methods', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open({ settings: { requireTermsAcceptance: true } });
  });
  after(() => shop.close());

  it('have to be accepted where the shop asks for it', async () => {
    const mug = await shop.sell('mug', { price: 10 });
    await shop
      .given(...readyToPay(mug))
      .when(pay())
      .then(400)
      .and(refusedFor('terms-not-accepted'));
    await shop
      .given(...readyToPay(mug))
      .when(pay({ acceptTerms: true }))
      .then(200);
  });

  it('are accepted with a payment by hand, where that places the order', async () => {
    const tea = await shop.sell('tea', { price: 10 });
    for (const refused of [{}, { acceptTerms: false }])
      await shop
        .given(...readyToPay(tea))
        .when(payByHand(refused))
        .then(400)
        .and(refusedFor('terms-not-accepted'));
    const { body: paid } = await shop
      .given(...readyToPay(tea))
      .when(payByHand({ acceptTerms: true }))
      .then(200, { success: true });
    const created = (await eventsIn(shop)).find(({ stream }) => stream === `invoice-${paid.invoiceId}`);
    const { termsAcceptedAt } = (created?.data as { content: { termsAcceptedAt: string | null } }).content;
    expect(termsAcceptedAt).to.be.a('string');
  });

  it('are listed as an array, with the specified fields', async () => {
    const { body: methods } = await shop
      .given()
      .when(get(`${checkout}/payment-methods`))
      .then(200);
    const aliases = methods.map((one: { alias: string; methodAlias: string }) => [
      one.alias,
      one.methodAlias,
    ]);
    expect(aliases).to.deep.equal([
      ['manual', 'manual'],
      ['sandbox', 'card'],
      ['sandbox', 'redirect'],
      ['sandbox', 'widget'],
    ]);
    expect(methods[1]).to.deep.include({ displayName: 'Card', integrationType: 'HostedFields' });
    for (const { iconHtml, description } of methods) {
      expect(iconHtml).to.match(/^<svg /);
      expect(description).to.match(/^[A-Z].*\.$/);
    }
  });
});
