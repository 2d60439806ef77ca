import { add, giveAddresses, initialize, manage, pay, post, takeOut } from '#test/support/requests.ts';
import { noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

describe('what `pay` asks for, one after another (docs/rules/checkout.md#paying)', () => {
  let shop: TestShop;
  let shopper: Shopper;
  let goods: Readonly<Record<'mug' | 'rare' | 'last' | 'book', string>>;

  before(async () => {
    shop = await TestShop.open({ settings: { requireTermsAcceptance: true } });
    goods = {
      mug: await shop.sell('mug', { price: 10 }),
      rare: await shop.sell('rare', { price: 10, stock: 1 }),
      last: await shop.sell('last', { price: 10, stock: 1 }),
      book: await shop.sell('book', { price: 9, isDigital: true }),
    };
    shopper = shop.shopper();
  });
  after(() => shop.close());

  const isRefused = (code: string, changes: object = {}) =>
    shop.given().by(shopper).when(pay(changes)).then(400, { success: false }).and(refusedFor(code));
  const accepting = { acceptTerms: true };
  const lineOf = async (sku: string): Promise<string> =>
    (await shopper.basket()).body.lineItems.find((line: { sku: string }) => line.sku === sku).id;
  /** Somebody else is faster. */
  const isSoldOut = async (productId: string): Promise<void> => {
    const other = shop.shopper();
    await other.prepare(productId);
    await shop.given().by(other).when(pay(accepting)).then(200);
    await shop.settle();
  };
  const costs = async (productId: string, price: number): Promise<void> => {
    const rootId = shop.shop.runtime.reference.catalogue.variant(productId)?.rootId;
    const change = manage.put(`/products/${rootId}/variants/${productId}`, { price });
    await shop.given().by(shop.admin).when(change).then(200);
    await shop.settle();
  };

  it('fields', async () => {
    const nothing = post('/api/shop/checkout/pay');
    await shop.given().by(shopper).when(nothing).then(400).and(refusedFor('invalid-request'));
  });

  it('a provider that is offered', () => isRefused('invalid-request', { providerAlias: 'nobody' }));

  it('something in the basket', () => isRefused('basket-not-found'));

  it('addresses, whatever else is missing', async () => {
    await shopper.add(goods.mug);
    await isRefused('checkout-incomplete').and(noNewEvents());
  });

  it('an account for what is digital, before the terms', async () => {
    for (const step of [giveAddresses(), initialize(), add(goods.book), add(goods.rare)])
      await shopper.ask(step);
    await isRefused('account-required').and(noNewEvents());
  });

  it('the terms', async () => {
    await shopper.ask(takeOut(await lineOf('book')));
    await isRefused('terms-not-accepted').and(noNewEvents());
  });

  it('a choice of shipping, before the stock', async () => {
    await isSoldOut(goods.rare);
    await shop.tester.post('/testing/clock', { advanceSeconds: 30 * 60 });
    await isRefused('shipping-not-selected', accepting).and(noNewEvents());
  });

  it('the goods, before anybody’s account and before new prices', async () => {
    for (const step of [takeOut(await lineOf('rare')), initialize(), add(goods.last)])
      await shopper.ask(step);
    await isSoldOut(goods.last);
    await costs(goods.mug, 11);
    await isRefused('items-unavailable', accepting).and(noNewEvents());
    await isRefused('items-unavailable', {
      ...accepting,
      providerAlias: 'purchaseorder',
      methodAlias: undefined,
    });
  });

  it('an account with terms for a purchase order, before new prices', async () => {
    await shopper.ask(takeOut(await lineOf('last')));
    await costs(goods.mug, 12);
    await isRefused('account-terms-required', {
      ...accepting,
      providerAlias: 'purchaseorder',
      methodAlias: undefined,
    }).and(noNewEvents());
  });

  it('a look at what is charged, and nothing more', async () => {
    await isRefused('basket-changed', accepting);
    await shop.given().by(shopper).when(pay(accepting)).then(200);
  });
});
