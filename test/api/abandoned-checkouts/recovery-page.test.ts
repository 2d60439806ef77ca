import { expect } from 'chai';
import { fromElsewhere, LeftCheckouts } from '#test/support/left-checkouts.ts';
import { get, inBrowser, post, withHeaders } from '#test/support/requests.ts';
import { events, header, noNewEvents } from '#test/support/scene.ts';

const pageOf = (token: string): string => `/checkout/recover/${token}`;
const open = (token: string) => inBrowser(fromElsewhere(get(pageOf(token))));
const press = (token: string) => inBrowser(fromElsewhere(post(pageOf(token))));
const toCheckout = header('location', '/checkout');

// docs/rules/abandoned-checkouts.md#the-page
describe('the page of a recovery link', () => {
  let left: LeftCheckouts;

  before(async () => {
    left = await LeftCheckouts.open();
  });
  after(() => left.close());

  it('restores the basket and goes on to the checkout, without telling where it came from', async () => {
    const { basketId, token } = await left.left();
    const phone = left.shop.shopper();
    await left.shop
      .given()
      .by(phone)
      .when(open(token))
      .then(302)
      .and(toCheckout)
      .and(header('referrer-policy', 'no-referrer'))
      .and(events('CheckoutRecovered'));
    expect(phone.basketId).to.equal(basketId);
    await left.shop.given().by(phone).when(open(token)).then(302).and(toCheckout).and(noNewEvents());
  });

  it('goes on to the checkout where the link leads nowhere, and when it is asked too often', async () => {
    for (const token of ['none', '%20', 'A'.repeat(43)]) {
      const answer = await left.shop.given().when(open(token)).then(302).and(toCheckout).and(noNewEvents());
      expect(answer.headers.getSetCookie().join()).to.not.include('shop_basket');
    }
    const often = withHeaders({ 'X-Forwarded-For': '203.0.113.77' }, get(pageOf('none')));
    for (let time = 0; time < 12; time++) await left.shop.given().when(often).then(302).and(toCheckout);
  });

  it('has a button for who only looks ahead, and uses nothing up', async () => {
    const { token } = await left.left();
    for (const ahead of [
      { ...open(token), method: 'HEAD' as const },
      withHeaders({ 'Sec-Purpose': 'prefetch;prerender' }, open(token)),
      withHeaders({ Purpose: 'prefetch' }, open(token)),
      withHeaders({ 'X-Moz': 'prefetch' }, open(token)),
    ])
      await left.shop
        .given()
        .when(ahead)
        .then(200)
        .and(header('content-type', 'text/html; charset=utf-8'))
        .and(header('cache-control', 'no-store'))
        .and(noNewEvents());
    const phone = left.shop.shopper();
    await left.shop
      .given()
      .by(phone)
      .when(press(token))
      .then(303)
      .and(toCheckout)
      .and(events('CheckoutRecovered'));
  });
});

describe('the page of a recovery link in a shop that asks first', () => {
  it('restores nothing until its button is pressed', async () => {
    const left = await LeftCheckouts.open({ environment: { AbandonedCheckout__ConfirmRecovery: 'true' } });
    try {
      const { basketId, token } = await left.left();
      const phone = left.shop.shopper();
      const page = await left.shop.given().by(phone).when(open(token)).then(200).and(noNewEvents());
      expect(page.text).to.include('<form method="post"><button>').and.not.to.include(token);
      const none = await left.shop.shopper().ask(open('A'.repeat(43)));
      expect(none.text, 'tells nothing').to.equal(page.text);
      await left.shop.given().by(phone).when(press(token)).then(303).and(toCheckout);
      expect(phone.basketId).to.equal(basketId);
    } finally {
      await left.close();
    }
  });
});
