import { expect } from 'chai';
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
    const { status, body } = await shopper.applyCode(' ten ');
    expect(status).to.equal(200);
    expect(body).to.deep.include({ success: true, discountDelta: 2, warnings: [] });
    expect(body.basket).to.include({ subTotal: 20, discount: 2, tax: 3.6, total: 21.6 });
    expect(body.basket.appliedDiscounts).to.have.length(1);
  });

  it('refuses with the reason', async () => {
    await shopper.applyCode('TEN');
    const again = await shopper.applyCode('TEN');
    expect(again.status).to.equal(400);
    expect(again.body).to.include({ success: false, errorCode: 'AlreadyApplied' });
    const unknown = await shopper.applyCode('NONE');
    expect(unknown.body).to.include({ success: false, errorCode: 'NotFound' });
    expect((await shopper.applyCode('')).status).to.equal(400);
    expect((await shop.shopper().applyCode('TEN')).status).to.equal(400);
  });

  it('refuses to go on guessing', async () => {
    for (let guess = 0; guess < 4; guess++) await shopper.applyCode(`GUESS${guess}`);
    const { status, body } = await shopper.applyCode('TEN');
    expect([status, body.success]).to.deep.equal([400, false]);
    expect(body.message).to.include('Too many');
  });
});
