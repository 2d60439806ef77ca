import { expect } from 'chai';
import { SignJWT, UnsecuredJWT } from 'jose';
import { merchantId, startAdvertiser, type Advertiser, type Changes } from '#test/support/referrals.ts';
import {
  add,
  changeFirstLine,
  get,
  pay,
  readyToPay,
  takeOffDiscount,
  takeOutFirstLine,
} from '#test/support/requests.ts';
import { body, events, header } from '#test/support/scene.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';
import { ownMilliseconds } from '#test/support/own-clock.ts';

const COOKIE = 'shop_ref_discount';
const page = '/api/shop/storefront/basket/count';

/** docs/rules/discounts-in-the-basket.md#referrals */
describe('A referral', () => {
  let now = Date.now();
  let advertiser: Advertiser;
  let shop: TestShop;
  let mug: string;
  let tea: string;

  const open = (keyUrl: string) =>
    TestShop.open({
      environment: {
        ALLOW_LOOPBACK_TARGETS: 'true',
        Store__referralDiscount__keyUrl: keyUrl,
        Store__referralDiscount__merchantIds: merchantId,
        Store__sessionSlidingTimeoutMinutes: '0',
      },
    });
  before(async () => {
    advertiser = await startAdvertiser(() => now);
    shop = await open(advertiser.keyUrl);
    // 10.01: a fifth of one is 2.002, so two take 4.00 off, not 4.004.
    mug = await shop.sell('mug', { price: 10.01 });
    tea = await shop.sell('tea', { price: 4 });
  });
  after(async () => {
    await shop.close();
    await advertiser.close();
  });

  /** A shopper who has come by a link. */
  const led = async (changes: Changes = {}, offerId = mug): Promise<Shopper> => {
    const shopper = shop.shopper();
    const { status } = await shopper.get(`${page}?pv2=${await advertiser.token(offerId, changes)}`);
    expect(status).to.equal(302);
    return shopper;
  };
  const lineIdOf = (answer: {
    body: { basket: { lineItems: { id: string; lineItemType: string }[] } };
  }): string =>
    answer.body.basket.lineItems.find(({ lineItemType }) => lineItemType === 'Discount')?.id ?? '';

  it('is kept in a cookie that nobody reads, and the address goes on without its parameter', async () => {
    const shopper = shop.shopper();
    const token = await advertiser.token(mug);
    const { status, headers } = await shopper.get(`${page}?a=1&pv2=${token}&b=%20`);
    expect([status, headers.get('location')]).to.deep.equal([302, `${page}?a=1&b=%20`]);
    const cookie = headers.get('set-cookie') ?? '';
    expect(cookie)
      .to.match(/HttpOnly; SameSite=Lax$/)
      .and.match(/Max-Age=3[56]\d\d;/);
    expect(cookie).to.not.include(mug).and.not.include('FLYER');
    const elsewhere = await shop.shopper().get(`//evil.example/a?pv2=${token}`);
    expect(elsewhere.headers.get('location')).to.equal('/evil.example/a');
  });

  it('asks for the keys once, however many come', async () => {
    const before = advertiser.asked();
    await Promise.all(Array.from({ length: 5 }, () => led()));
    expect(advertiser.asked()).to.equal(before);
  });

  it('takes its percentage off each unit of its product, and off nothing else', async () => {
    const shopper = await led();
    await shop
      .given(add(tea))
      .by(shopper)
      .when(add(mug, 2))
      .then(200, { subTotal: 24.02, discount: 4 })
      .and(events('BasketLineAdded', 'ReferralDiscountApplied'))
      .and(
        body(({ basket }) => {
          const line = basket.lineItems.find(({ sku }: { sku: string }) => sku === 'mug');
          const discount = basket.lineItems.find(
            ({ lineItemType }: { lineItemType: string }) => lineItemType === 'Discount',
          );
          expect(discount).to.deep.include({
            discountTarget: 'product',
            parentLineItemId: line.id,
            lineTotal: -4,
          });
          const [applied] = basket.appliedDiscounts;
          expect(applied).to.deep.include({
            id: discount.id,
            name: 'FLYER',
            code: null,
            amount: 4,
            isAutomatic: true,
          });
        }),
      );
  });

  it('is for the product that it names, by its SKU too', async () => {
    await shop
      .given()
      .by(await led({}, 'MUG'))
      .when(add(mug))
      .then(200, { discount: 2 });
    await shop
      .given()
      .by(await led({}, tea))
      .when(add(mug))
      .then(200, { discount: 0 })
      .and(events('BasketStarted', 'BasketLineAdded'));
  });

  it('follows the quantity, and goes with its line without a word', async () => {
    const shopper = await led();
    await shop
      .given(add(mug))
      .by(shopper)
      .when(add(mug, 2))
      .then(200, { discount: 6 })
      .and(events('BasketLineQuantityChanged'));
    await shop
      .given(get('/api/shop/storefront/basket'))
      .by(shopper)
      .when(changeFirstLine(1))
      .then(200, { discount: 2 });
    await shop
      .given(add(tea), get('/api/shop/storefront/basket'))
      .by(shopper)
      .when(takeOutFirstLine)
      .then(200, { discount: 0, warnings: [] })
      .and(events('BasketLineRemoved'));
  });

  it('gives way to a later one for the same line', async () => {
    const shopper = await led();
    await shopper.add(mug);
    await shopper.get(`${page}?pv2=${await advertiser.token(mug, { dp: 50, dc: 'HALF' })}`);
    await shop.given().by(shopper).when(add(mug)).then(200, { discount: 10.02 });
    const { body: shown } = await shopper.basket();
    expect(shown.appliedDiscounts).to.have.length(1);
  });

  it('is taken off by its line', async () => {
    const shopper = await led();
    await shop
      .given(add(mug))
      .by(shopper)
      .when((last) => takeOffDiscount(lineIdOf(last)))
      .then(200, { discountDelta: 2, warnings: [] })
      .and(events('ReferralDiscountRemoved'));
  });

  it('ends with its time: a refresh warns of it, and `pay` asks first', async () => {
    const shopper = await led();
    const other = await led();
    for (const step of readyToPay(mug)) await shopper.ask(step as Parameters<Shopper['ask']>[0]);
    await other.add(mug);
    expect((await shopper.basket()).body.discount).to.equal(2);
    await shop.tester.post('/testing/clock', { advanceSeconds: 3601 });
    now += 3_601_000;
    const warned = ({ warnings }: { warnings: string[] }) =>
      expect(warnings)
        .to.have.length(1)
        .and.satisfy(([text = '']: string[]) => text.includes('FLYER'));
    await shop.given().by(other).when(add(tea)).then(200, { discount: 0 }).and(body(warned));
    await shop
      .given()
      .by(shopper)
      .when(pay())
      .then(400, { success: false })
      .and(body(warned))
      .and(body(({ basket }) => warned(basket)));
    await shop.given().by(shopper).when(pay()).then(200);
  });

  it('of another basket is not that of this one: a cookie that is over or altered is forgotten', async () => {
    const shopper = shop.shopper();
    shopper.cookies.set(COOKIE, 'bm90IG91cnM');
    const { headers } = await shopper.add(mug);
    expect(headers.get('set-cookie')).to.include(`${COOKIE}=; Path=/; Max-Age=0`);
  });

  describe('that does not fit goes on as if it were not there:', () => {
    const untouched = async (token: string): Promise<void> => {
      const shopper = shop.shopper();
      await shop
        .given()
        .by(shopper)
        .when(get(`${page}?pv2=${token}`))
        .then(200, { itemCount: 0 })
        .and(header('location', null));
      expect(shopper.cookies.has(COOKIE)).to.equal(false);
    };
    const rows: readonly (readonly [string, () => Promise<string> | string])[] = [
      [
        'no algorithm',
        () => new UnsecuredJWT({ m: merchantId, p: 8, dp: 20, o: mug, exp: now / 1000 + 60 }).encode(),
      ],
      [
        'HS256 with the public key',
        () =>
          new SignJWT({ m: merchantId, p: 8, dp: 20, o: mug, exp: Math.floor(now / 1000) + 60 })
            .setProtectedHeader({ alg: 'HS256', kid: 'current' })
            .sign(new TextEncoder().encode(advertiser.pem)),
      ],
      ['another key', () => advertiser.forged(mug)],
      ['a key that nobody has published', () => advertiser.forged(mug, 'unknown')],
      ['another merchant', () => advertiser.token(mug, { m: 'another-shop' })],
      ['a time that is over', () => advertiser.token(mug, { exp: Math.floor(now / 1000) - 1 })],
      ['a percentage of 0', () => advertiser.token(mug, { dp: 0 })],
      ['a percentage of 101', () => advertiser.token(mug, { dp: 101 })],
      ['a percentage with decimals', () => advertiser.token(mug, { dp: 12.5 })],
      ['no price', () => advertiser.token(mug, { p: null })],
      ['no token', () => 'eyJhbGciOiJFUzI1NiJ9.e30'],
      ['nothing', () => ''],
    ];
    for (const [what, token] of rows) it(what, async () => untouched(await token()));
  });

  it('waits two seconds at most for keys that do not come, and the next one not at all', async () => {
    const silent = await startAdvertiser(() => now, 'silent');
    const patient = await open(silent.keyUrl);
    try {
      const visit = async () => {
        const token = await silent.token(mug);
        return ownMilliseconds(async () => {
          const { status } = await patient.shopper().get(`${page}?pv2=${token}`);
          expect(status).to.equal(200);
        });
      };
      const begun = performance.now();
      expect(await visit()).to.be.below(4000);
      expect(performance.now() - begun).to.be.at.least(1900);
      expect(await visit()).to.be.below(1000);
      expect(silent.asked()).to.equal(1);
    } finally {
      await patient.close();
      await silent.close();
    }
  });

  it('may be signed by a key in PEM', async () => {
    const other = await startAdvertiser(() => now, 'pem');
    const own = await open(other.keyUrl);
    try {
      const { status } = await own.shopper().get(`${page}?pv2=${await other.token(mug)}`);
      expect(status).to.equal(302);
    } finally {
      await own.close();
      await other.close();
    }
  });

  it('is nothing to a shop that has not set it up, or whose keys come over http elsewhere than on loopback', async () => {
    const plain = await TestShop.open();
    const strict = await TestShop.open({
      environment: {
        Store__referralDiscount__keyUrl: advertiser.keyUrl,
        Store__referralDiscount__merchantIds: merchantId,
      },
    });
    try {
      for (const one of [plain, strict])
        expect((await one.shopper().get(`${page}?pv2=${await advertiser.token(mug)}`)).status).to.equal(200);
    } finally {
      await plain.close();
      await strict.close();
    }
  });
});
