import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createCodeAttempts } from '#command/contexts/checkout/codes/code-attempts.ts';
import { createRateLimits } from '#http/rate-limit.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import {
  add,
  applyCode,
  changeLine,
  giveAddresses,
  initialize,
  manage,
  pay,
  takeOffDiscount,
  takeOut,
} from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

describe('POST /checkout/discount/apply', () => {
  let shop: TestShop;
  let mug: string;
  let shopper: Shopper;

  before(async () => {
    shop = await TestShop.open({ settings: { discountAttemptsPerMinute: 4 } });
    mug = await shop.sell('mug', { price: 10 });
    await shop.discount('TEN', 10);
  });
  after(() => shop.close());
  beforeEach(async () => {
    shopper = shop.shopper();
    await shopper.add(mug, 2);
  });

  it('applies a code, whatever its case, and tells what it takes off', async () => {
    await shop
      .given(add(mug, 2))
      .when(applyCode(' ten '))
      .then(200, { success: true, discountDelta: 2, warnings: [] })
      .and(events('DiscountCodeApplied'))
      .and(
        body(({ basket }) => {
          expect(basket).to.include({ subTotal: 20, discount: 2, tax: 3.6, total: 21.6 });
          expect(basket.appliedDiscounts).to.have.length(1);
        }),
      );
  });

  it('refuses with the reason', async () => {
    await shop
      .given(add(mug), applyCode('TEN'))
      .when(applyCode('TEN'))
      .then(400, { success: false, errorCode: 'AlreadyApplied' })
      .and(noNewEvents());
    await shop
      .given(add(mug))
      .when(applyCode('NONE'))
      .then(400, { success: false, errorCode: 'NotFound' })
      .and(refusedFor('discount-not-applicable'));
    await shop
      .given(add(mug))
      .when(applyCode(' '))
      .then(400, { success: false, errorCode: 'NotFound', message: 'code: must be a discount code.' })
      .and(noNewEvents());
    await shop.given().when(applyCode('TEN')).then(400).and(refusedFor('basket-not-found'));
  });

  it('refuses a code that does not go with the one there, and leaves the basket as it is', async () => {
    await shop.discount('SOLO', 5);
    await shop
      .given(add(mug), applyCode('TEN'))
      .when(applyCode('SOLO'))
      .then(400, { success: false, errorCode: 'CannotCombine', message: 'SOLO cannot be combined with TEN.' })
      .and(noNewEvents());
  });

  it('refuses a code whose rule is deleted, and takes it off a basket that has it, with a warning', async () => {
    const id = await shop.discount('GONE', 10);
    const buyer = shop.shopper();
    await buyer.add(mug);
    expect((await buyer.applyCode('GONE')).status).to.equal(200);
    await shop
      .given()
      .by(shop.admin)
      .when(manage.delete(`/discounts/${id}`))
      .then(204);
    await shop.settle();
    await shop.given(add(mug)).when(applyCode('GONE')).then(400, { errorCode: 'NotFound' });
    const warnings = ['There is no discount code GONE.'];
    await shop
      .given()
      .by(buyer)
      .when(add(mug))
      .then(200, { warnings, discount: 0, appliedDiscounts: [] })
      .and(body(({ basket }) => expect(basket.warnings).to.deep.equal(warnings)))
      .and(events('BasketLineQuantityChanged', 'DiscountCodeRemoved'));
    await shop.given().by(buyer).when(add(mug)).then(200, { warnings: [] });
  });

  it('tells a customer who has used a code as often as one may, once the address says who it is', async () => {
    await shop.rule('ONCE', { method: 'Code', code: 'ONCE', perCustomerUsageLimit: 1 });
    const email = 'once@example.com';
    const first = shop.shopper();
    await first.prepare(mug, 1, email);
    await shop.given(applyCode('ONCE')).by(first).when(pay()).then(200);
    await shop.given().by(first).when(applyCode('ONCE')).then(400, { errorCode: 'AlreadyApplied' });
    await shop
      .given(add(mug), giveAddresses({ email }))
      .when(applyCode('ONCE'))
      .then(400, {
        success: false,
        errorCode: 'CustomerUsageLimitReached',
        message: 'You have used this discount as often as it allows.',
      })
      .and(noNewEvents());
    const unknown = shop.shopper();
    await shop
      .given(add(mug), applyCode('ONCE'))
      .by(unknown)
      .when(giveAddresses({ email }))
      .then(200, { warnings: ['You have used this discount as often as it allows.'] })
      .and(body(({ basket, warnings }) => expect(basket).to.deep.include({ discount: 0, warnings })));
    await shop.given(initialize()).by(unknown).when(pay()).then(200);
  });

  const aMinuteLater = () => shop.tester.post('/testing/clock', { advanceSeconds: 60 });

  it('refuses to go on guessing with one basket, for a minute', async () => {
    await aMinuteLater();
    // Right codes count for the basket, and for nobody's address.
    for (let guess = 0; guess < 4; guess++) await shopper.applyCode(guess < 2 ? 'TEN' : `GUESS${guess}`);
    const { status, body, headers } = await shopper.applyCode('TEN');
    expect([status, body.success]).to.deep.equal([400, false]);
    expect(body.message).to.include('Too many');
    expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
  });

  it('tells a basket that guesses of its own limit, where that of the address is over as well', async () => {
    await aMinuteLater();
    for (let guess = 0; guess < 4; guess++) await shopper.applyCode(`GUESS${guess}`);
    const { status, body } = await shopper.applyCode('GUESS4');
    expect([status, body.message]).to.deep.equal([400, 'Too many attempts. Wait a minute and try again.']);
  });

  it('refuses to go on guessing with ever new baskets, for a minute', async () => {
    await aMinuteLater();
    for (let guess = 0; guess < 4; guess++) {
      const stranger = shop.shopper();
      await stranger.add(mug);
      expect((await stranger.applyCode(`GUESS${guess}`)).body.errorCode).to.equal('NotFound');
    }
    const { status, body, headers } = await shopper.applyCode('TEN');
    expect([status, body.success]).to.deep.equal([429, false]);
    expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
    await aMinuteLater();
    expect((await shopper.applyCode('TEN')).status).to.equal(200);
  });

  it('does not count those who know a code against their address', async () => {
    await aMinuteLater();
    const crowd = Array.from({ length: 12 }, () => shop.shopper());
    for (const one of crowd) await one.add(mug);
    const all = await Promise.all(crowd.map((one) => one.applyCode('TEN')));
    expect(all.map(({ status }) => status)).to.deep.equal(crowd.map(() => 200));
  });

  it('lets no right code slip past many wrong ones that are sent before it', async () => {
    const attempts = createCodeAttempts(
      await createRateLimits({
        stateStore: createMemoryDocumentStore(),
        now: () => 0,
        keyedHash: (_, value) => value,
      }),
      () => 4,
    );
    const from = { ip: '198.51.100.1' };
    const wrong = Array.from({ length: 12 }, (_, index) => attempts.take(`basket ${index}`, from, false));
    const right = attempts.take('basket of the same hand', from, true);
    const told = await Promise.allSettled([...wrong, right]);
    expect(told.filter(({ status }) => status === 'fulfilled')).to.have.length(4);
    expect(told.at(-1)?.status).to.equal('rejected');
  });

  it('lets no more guesses through when many come at once', async () => {
    await aMinuteLater();
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, guess) => shopper.applyCode(`GUESS${guess}`)),
    );
    expect(all.filter(({ body }) => body.errorCode === 'NotFound')).to.have.length(4);
  });
});

describe('DELETE /checkout/discount', () => {
  let shop: TestShop;
  let mug: string;
  let ten: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10 });
    ten = await shop.discount('TEN', 10);
  });
  after(() => shop.close());

  const lineOf = ({ body: { basket } }: ApiResponse): string =>
    basket.lineItems.find(({ lineItemType }: { lineItemType: string }) => lineItemType === 'Discount').id;
  const withTen = () => [add(mug, 2), applyCode('TEN')];

  it('takes off a code by the id of its rule', async () => {
    await shop
      .given(...withTen())
      .when(takeOffDiscount(ten))
      .then(200, { success: true, message: 'TEN has been taken off.', discountDelta: 2, warnings: [] })
      .and(events('DiscountTakenOff'))
      .and(
        body(({ basket }) =>
          expect(basket).to.deep.include({ discount: 0, total: 24, appliedDiscounts: [] }),
        ),
      );
  });

  it('takes off the whole rule by the line that shows it, at both addresses, and knows it only once', async () => {
    await shop
      .given(...withTen())
      .when((last) => takeOffDiscount(lineOf(last)))
      .then(200, { discountDelta: 2 });
    const shopper = shop.shopper();
    await shop
      .given(...withTen())
      .by(shopper)
      .when((last) => takeOut(lineOf(last)))
      .then(200, { discount: 0, itemCount: 2, warnings: [], appliedDiscounts: [] })
      .and(events('DiscountTakenOff'));
    await shop
      .given()
      .by(shopper)
      .when(takeOffDiscount(ten))
      .then(400, { success: false, errorCode: 'NotFound' })
      .and(noNewEvents());
  });

  it('needs a basket, and a discount that it has', async () => {
    await shop.given().when(takeOffDiscount(ten)).then(400).and(refusedFor('basket-not-found'));
    await shop
      .given(add(mug))
      .when(takeOffDiscount(ten))
      .then(400, { errorCode: 'NotFound', message: 'discountId: must be a discount of this basket.' });
    await shop.given(add(mug)).when(takeOffDiscount('ten')).then(404);
  });

  it('is how a discount goes: it has no quantity', async () => {
    await shop
      .given(...withTen())
      .when((last) => changeLine({ lineItemId: lineOf(last), quantity: 2 }))
      .then(400, { success: false })
      .and(refusedFor('line-is-discount'));
  });
});
