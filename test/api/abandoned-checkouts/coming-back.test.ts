import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import {
  fromElsewhere,
  LeftCheckouts,
  recoverBy,
  recoveryTokenOf,
  validate,
} from '#test/support/left-checkouts.ts';
import { add, get, inBrowser, manage, showBasket, withHeaders } from '#test/support/requests.ts';
import { body, events, header, noNewEvents, refusedFor } from '#test/support/scene.ts';

const cookiesOf = ({ headers }: ApiResponse): string[] =>
  headers.getSetCookie().map((line) => line.split(';', 1)[0]?.split('=', 1)[0] ?? '');

const altered = (token: string): string => (token.startsWith('A') ? 'B' : 'A') + token.slice(1);

// docs/rules/abandoned-checkouts.md#coming-back
describe('a shopper who comes back by the link', () => {
  let left: LeftCheckouts;

  before(async () => {
    left = await LeftCheckouts.open();
  });
  after(() => left.close());

  it('finds the basket, the addresses and the currency as they were', async () => {
    const { basketId, token } = await left.left('ada@example.com', 3);
    const phone = left.shop.shopper();
    const answer = await left.shop
      .given()
      .by(phone)
      .when(recoverBy(token))
      .then(200, { success: true, message: 'Your basket is back.', hasUnavailableItems: false })
      .and(events('CheckoutRecovered'));
    expect(answer.body.unavailableItems).to.deep.equal([]);
    expect(answer.body.basket).to.include({ id: basketId, itemCount: 3, subTotal: 30 });
    expect(cookiesOf(answer)).to.include.members(['shop_basket', 'shop_country', 'shop_currency']);
    const line = answer.headers.getSetCookie().find((one) => one.startsWith('shop_basket='));
    expect(line).to.include('Max-Age=2592000').and.to.include('HttpOnly').and.to.include('SameSite=Lax');
    expect((await phone.basket()).body).to.include({ id: basketId, itemCount: 3 });
    // Shipping is chosen again: the checkout has timed out.
    await phone.initialize();
    expect((await phone.pay()).body).to.include({ success: true });
  });

  it('keeps a currency that was chosen since, and else sees the one chosen before', async () => {
    const rates = { configuration: { rates: { EUR: 1.2, USD: 1.3 } } };
    await left.shop.admin.ask(manage.put('/exchange-rate-providers/manual/settings', rates));
    await left.shop.settle();
    const shopper = await left.shopping('euro@example.com');
    await shopper.post('/api/shop/storefront/currency', { currencyCode: 'EUR' });
    await left.hoursPass(1);
    await left.detect();
    const token = recoveryTokenOf(shopper.basketId);
    const valid = await left.shop.shopper().ask(validate(token));
    // Two mugs with tax, 24.00 pounds, at 1.2; shipping is chosen again.
    expect(valid.body).to.deep.equal({
      ...{ valid: true, isValid: true, itemCount: 1, customerEmail: 'e***@example.com' },
      ...{ basketTotal: 28.8, formattedTotal: '€28.80' },
    });
    const phone = left.shop.shopper();
    phone.cookies.set('shop_currency', 'USD');
    const other = await phone.ask(recoverBy(token));
    expect(other.body.basket).to.include({ displayCurrencyCode: 'USD' });
    expect(cookiesOf(other)).to.not.include('shop_currency');
  });

  it('uses the link up, but may open it again', async () => {
    const { basketId, token } = await left.left('bob@example.com');
    const phone = left.shop.shopper();
    await phone.ask(recoverBy(token));
    const again = await left.shop.given().by(phone).when(recoverBy(token)).then(200).and(noNewEvents());
    expect(again.body.basket).to.include({ id: basketId });
    await left.shop
      .given()
      .when(recoverBy(token))
      .then(404, { success: false })
      .and(refusedFor('recovery-link-invalid'))
      .and(noNewEvents());
  });

  it('leaves the basket that they had for it', async () => {
    const { basketId, token } = await left.left('cleo@example.com');
    const phone = left.shop.shopper();
    await phone.add(left.mug, 7);
    const earlier = phone.cookies.get('shop_basket') ?? '';
    await left.shop
      .given()
      .by(phone)
      .when(recoverBy(token))
      .then(200)
      .and(events('CheckoutRecovered', 'BasketCleared'));
    expect(phone.basketId).to.equal(basketId);
    const tablet = left.shop.shopper();
    tablet.cookies.set('shop_basket', earlier);
    expect((await tablet.basket()).body).to.include({ itemCount: 0 });
  });

  it('keeps a basket on which an order hangs', async () => {
    const { token } = await left.left('dora@example.com');
    const phone = await left.shopping('dora@example.com', 1);
    const { invoiceId } = (await phone.pay()).body;
    const earlier = phone.cookies.get('shop_basket') ?? '';
    await left.shop.given().by(phone).when(recoverBy(token)).then(200).and(events('CheckoutRecovered'));
    const tablet = left.shop.shopper();
    tablet.cookies.set('shop_basket', earlier);
    expect((await tablet.payWith(invoiceId as string)).body).to.include({ success: true });
  });

  it('is told what cannot be had any more', async () => {
    const pen = await left.shop.sell('pen', { price: 2, stock: 5 });
    const shopper = left.shop.shopper();
    await shopper.prepare(left.mug, 1, 'eve@example.com');
    await shopper.add(pen, 4);
    await left.hoursPass(1);
    await left.detect();
    await left.shop.given(add(pen, 3)).when(showBasket()).then(200);
    const other = left.shop.shopper();
    await other.prepare(pen, 3, 'fast@example.com');
    await other.pay();
    await left.shop.settle();
    const { body: restored } = await left.shop.shopper().ask(recoverBy(recoveryTokenOf(shopper.basketId)));
    expect(restored).to.include({ success: true, hasUnavailableItems: true });
    expect(restored.unavailableItems).to.have.length(1);
    expect(restored.unavailableItems[0]).to.include({ sku: 'pen', hasStock: false, canShipToLocation: true });
    expect(restored.unavailableItems[0].statusMessage).to.match(/2/);
  });

  it('is sent on to the checkout where a browser asks for the API', async () => {
    const { basketId, token } = await left.left('fay@example.com');
    const phone = left.shop.shopper();
    await left.shop
      .given()
      .by(phone)
      .when(inBrowser(recoverBy(token)))
      .then(303)
      .and(header('location', '/checkout'));
    expect(phone.basketId).to.equal(basketId);
  });

  it('changes nothing by looking ahead', async () => {
    const { token } = await left.left('gus@example.com');
    for (const ahead of [
      { ...recoverBy(token), method: 'HEAD' as const },
      withHeaders({ 'Sec-Purpose': 'prefetch' }, recoverBy(token)),
      validate(token),
    ]) {
      const answer = await left.shop.given().when(ahead).then(200).and(noNewEvents());
      expect(cookiesOf(answer)).to.not.include('shop_basket');
    }
    await left.shop.given().when(recoverBy(token)).then(200).and(events('CheckoutRecovered'));
  });

  it('finds it by no link that is unknown, altered, expired, used up or of what was bought: alike for all', async () => {
    const { token } = await left.left('hal@example.com');
    const boughtBy = await left.shopping('ida@example.com');
    const { basketId: bought } = boughtBy;
    await left.hoursPass(1);
    await left.detect();
    await boughtBy.initialize();
    const { invoiceId } = (await boughtBy.pay()).body;
    expect((await boughtBy.payWith(invoiceId as string)).body).to.include({ success: true });
    const used = await left.left('jim@example.com');
    await left.shop.shopper().ask(recoverBy(used.token));
    const clearedBy = await left.shopping('kim@example.com');
    const { basketId: cleared } = clearedBy;
    await left.hoursPass(1);
    await left.detect();
    await clearedBy.post('/api/shop/storefront/basket/clear');
    await left.shop.settle();
    const none = [altered(token), 'A'.repeat(43), 'short', used.token];
    const gone = [recoveryTokenOf(bought), recoveryTokenOf(cleared)];
    const seen = new Set<string>();
    for (const one of [...none, ...gone]) {
      const refused = await left.shop.given().when(recoverBy(one)).then(404).and(noNewEvents());
      seen.add(refused.text);
      const invalid = await left.shop.given().when(validate(one)).then(200, { valid: false, isValid: false });
      seen.add(invalid.text);
    }
    await left.hoursPass(31 * 24);
    seen.add((await left.shop.shopper().ask(recoverBy(token))).text);
    expect([...seen], 'one refusal, one invalid').to.have.length(2);
  });

  it('finds it by the newest link only', async () => {
    const { basketId, token } = await left.left('lea@example.com');
    const shopper = left.shop.shopper();
    await shopper.ask(recoverBy(token));
    await shopper.add(left.mug, 1);
    await left.hoursPass(1);
    await left.detect();
    await left.shop.given().by(shopper).when(recoverBy(token)).then(404);
    await left.shop
      .given()
      .when(recoverBy(recoveryTokenOf(basketId, 2)))
      .then(200);
  });

  it('is none without a token', async () => {
    for (const path of ['/recover/%20', '/recover/%20/validate'])
      await left.shop
        .given()
        .when(fromElsewhere(get(`/api/shop/checkout${path}`)))
        .then(400, { success: false })
        .and(refusedFor('invalid-request'));
  });

  it('is let in ten times a minute from one address, whatever they ask', async () => {
    const from = (path: string) =>
      withHeaders({ 'X-Forwarded-For': '203.0.113.99' }, get(`/api/shop/checkout/recover/none${path}`));
    for (let time = 0; time < 10; time++)
      expect((await left.shop.shopper().ask(from(time % 2 === 0 ? '' : '/validate'))).status).to.not.equal(
        429,
      );
    for (const path of ['', '/validate'])
      await left.shop
        .given()
        .when(from(path))
        .then(429, { success: false })
        .and(refusedFor('too-many-requests'))
        .and(body(({ retryAfterSeconds }) => expect(retryAfterSeconds).to.be.within(1, 60)));
    await left.shop.tester.post('/testing/clock', { advanceSeconds: 60 });
    expect((await left.shop.shopper().ask(from(''))).status).to.equal(404);
  });
});
