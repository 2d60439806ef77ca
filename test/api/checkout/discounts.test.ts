import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createCodeAttempts } from '#command/contexts/checkout/code-attempts.ts';
import { createRateLimits } from '#http/rate-limit.ts';
import { add, applyCode } from '#test/support/requests.ts';
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
    await shop.given(add(mug)).when(applyCode('')).then(400).and(refusedFor('invalid-request'));
    await shop.given().when(applyCode('TEN')).then(400).and(refusedFor('basket-not-found'));
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
