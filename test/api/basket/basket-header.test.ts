import { expect } from 'chai';
import { createBasketCookies } from '#http/basket-cookie.ts';
import { newId } from '#kernel/ids.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { TestShop } from '#test/support/shop.ts';

const storefront = '/api/shop/storefront';
const checkout = '/api/shop/checkout';
const NAME = 'tillroll-basket';
const POSITION = 'tillroll-position';

describe('A caller without cookies', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10 });
  });
  after(() => shop.close());

  /** Keeps no cookie; each call as a caller of its own. */
  const get = (path: string, basket: string): Promise<ApiResponse> =>
    shop.shopper().get(path, { 'Tillroll-Basket': basket });
  const post = (path: string, body: object, basket?: string, more: Record<string, string> = {}) =>
    shop
      .shopper()
      .post(path, body, { ...(basket === undefined ? {} : { 'Tillroll-Basket': basket }), ...more });
  const add = (basket?: string) => post(`${storefront}/basket/add`, { productId: mug }, basket);
  const told = ({ headers }: ApiResponse): string => headers.get(NAME) ?? '';
  const countOf = async (basket: string): Promise<number> =>
    (await get(`${storefront}/basket`, basket)).body.itemCount;

  it('is told its basket in a header, the value of the cookie, and goes on with it', async () => {
    const first = await add();
    const basket = told(first);
    const cookie = first.headers.getSetCookie().find((line) => line.startsWith('shop_basket='));
    expect(cookie).to.include(`shop_basket=${basket};`);
    const second = await add(basket);
    expect(told(second)).to.equal(basket);
    const seen = { 'Tillroll-Basket': basket, 'Tillroll-Position': second.headers.get(POSITION) ?? '' };
    const read = await shop.shopper().get(`${storefront}/basket`, seen);
    expect(read.body.itemCount).to.equal(2);
    expect(told(read)).to.equal(basket);
  });

  it('checks out by it, and is told the next basket by the payment', async () => {
    const basket = told(await add());
    await post(
      `${checkout}/addresses`,
      {
        email: 'app@example.com',
        billingAddress: {
          name: 'Ada Lovelace',
          addressOne: '1 High Street',
          townCity: 'Hull',
          postalCode: 'HU1 1AA',
          countryCode: 'GB',
        },
        shippingSameAsBilling: true,
      },
      basket,
    );
    await post(`${checkout}/initialize`, { countryCode: 'GB', autoSelectShipping: true }, basket);
    const paying = await post(
      `${checkout}/pay`,
      {
        providerAlias: 'sandbox',
        methodAlias: 'card',
        returnUrl: '/done',
        cancelUrl: '/basket',
        acceptTerms: true,
      },
      basket,
    );
    expect(paying.status, paying.text).to.equal(200);
    const { invoiceId } = paying.body;
    const payment = { invoiceId, providerAlias: 'sandbox', paymentMethodToken: 'tok_success' };
    const stranger = await post(`${checkout}/process-payment`, payment, told(await add()));
    expect(stranger.status).to.equal(403);
    const paid = await post(`${checkout}/process-payment`, payment, basket);
    expect(paid.body).to.include({ success: true, status: 'Completed' });
    expect(told(paid))
      .to.match(/^[\da-f-]{36}\.[\w-]{43}$/)
      .and.not.equal(basket);
  });

  it('has no basket any more once it is cleared', async () => {
    const basket = told(await add());
    const cleared = await post(`${storefront}/basket/clear`, {}, basket);
    expect(cleared.headers.get(NAME)).to.equal('');
    expect(told(await add(''))).to.match(/\./);
  });

  it('gets a new basket for a value that is foreign, altered or no longer good, and never another’s', async () => {
    const mine = told(await add());
    const theirs = told(await add());
    const [basketId = '', signature = ''] = mine.split('.');
    const [theirId = ''] = theirs.split('.');
    const foreign = createBasketCookies(Buffer.alloc(32, 1)).write(theirId, null).value ?? '';
    const wrong = [
      foreign,
      `${theirId}.${signature}`,
      theirId,
      `${mine.slice(0, -1)}${mine.endsWith('A') ? 'B' : 'A'}`,
      `${mine}, ${theirs}`,
      `${basketId.toUpperCase()}.${signature}`,
      `${newId()}.${signature}`,
      'x'.repeat(4000),
    ];
    for (const value of wrong) {
      expect(await countOf(value), value).to.equal(0);
      const added = await add(value);
      expect(added.body.itemCount, value).to.equal(1);
      expect(told(added).split('.')[0], value).to.not.be.oneOf([basketId, theirId]);
    }
    await shop.settle();
    expect([await countOf(mine), await countOf(theirs)]).to.deep.equal([1, 1]);
  });

  it('means the header where a cookie comes along', async () => {
    const shopper = shop.shopper();
    await shopper.add(mug, 3);
    const other = told(await add());
    await shop.settle();
    const read = await shopper.get(`${storefront}/basket`, { 'Tillroll-Basket': other });
    expect(read.body.itemCount).to.equal(1);
    expect((await shopper.basket()).body.itemCount).to.equal(3);
  });

  it('keeps a member’s basket for that member, who is known by their token', async () => {
    const ada = { email: 'ada.header@example.com', password: 'a long enough password' };
    const guest = told(await add());
    const signedUp = await post(
      `${checkout}/addresses`,
      {
        email: ada.email,
        password: ada.password,
        billingAddress: {
          name: 'Ada Lovelace',
          addressOne: '1 High Street',
          townCity: 'Hull',
          postalCode: 'HU1 1AA',
          countryCode: 'GB',
        },
        shippingSameAsBilling: true,
      },
      guest,
    );
    expect(signedUp.status, signedUp.text).to.equal(200);
    const own = told(signedUp);
    expect(own).not.to.equal(guest);
    await shop.settle();
    const bearer = { Authorization: `Bearer ${signedUp.body.token}` };
    const read = await shop.shopper().get(`${storefront}/basket`, { ...bearer, 'Tillroll-Basket': own });
    expect(read.body.itemCount).to.equal(1);
    expect(await countOf(own), 'without the token').to.equal(0);
  });
});
