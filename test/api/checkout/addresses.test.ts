import { expect } from 'chai';
import { londonAddress, TestShop, type Shopper } from '#test/support/shop.ts';

const path = '/api/shop/checkout/addresses';

describe('POST /checkout/addresses', () => {
  let shop: TestShop;
  let mug: string;
  let shopper: Shopper;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10 });
  });
  after(() => shop.close());
  beforeEach(async () => {
    shopper = shop.shopper();
    await shopper.add(mug, 2);
  });

  it('saves the addresses and answers with the basket and the cookies of the place', async () => {
    const answer = await shopper.giveAddress();
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.include({ success: true, message: '', warnings: [] });
    expect(answer.body.basket.itemCount).to.equal(2);
    expect([...shopper.cookies.values()]).to.include('GB');
    expect(answer.headers.get('Tillroll-Position')).to.not.equal(null);
  });

  it('tells all problems at once, under the keys of the specification', async () => {
    const answer = await shopper.post(path, {
      email: 'nobody',
      billingAddress: { countryCode: 'GB' },
      shippingAddress: { name: 'Ada', addressOne: '1 High Street', townCity: 'London', countryCode: 'XX' },
      shippingSameAsBilling: false,
    });
    expect(answer.status).to.equal(400);
    expect(answer.body.success).to.equal(false);
    expect(answer.body.message).to.be.a('string').and.not.empty;
    expect(Object.keys(answer.body.errors)).to.have.members([
      'email',
      'billing.name',
      'billing.addressOne',
      'billing.townCity',
      'billing.postalCode',
      'shipping.countryCode',
      'shipping.postalCode',
    ]);
    for (const text of Object.values(answer.body.errors)) expect(text).to.be.a('string');
  });

  it('ignores the shipping address when it is the same as billing', async () => {
    const body = { email: 'ada@example.com', billingAddress: londonAddress, shippingAddress: { name: '' } };
    expect((await shopper.post(path, { ...body, shippingSameAsBilling: true })).status).to.equal(200);
    expect((await shopper.post(path, body)).status).to.equal(200);
  });

  it('refuses a country to which nothing is sent', async () => {
    const answer = await shopper.giveAddress('ada@example.com', { ...londonAddress, countryCode: 'XX' });
    expect(answer.body.errors).to.have.property('billing.countryCode');
  });

  it('knows a shopper by the e-mail address, whatever its case', async () => {
    await shopper.giveAddress('Ada@Example.com');
    await shopper.initialize();
    const first = await shopper.pay();
    const other = shop.shopper();
    await other.prepare(mug, 1, 'ada@example.COM');
    const second = await other.pay();
    const customerOf = async (invoiceId: string) => {
      const state = await shop.shop.house.store.readStream(`invoice-${invoiceId}`, { limit: 1 });
      return (JSON.parse(state[0]?.data ?? '{}') as { content: { customerId: string } }).content.customerId;
    };
    expect(await customerOf(second.body.invoiceId)).to.equal(await customerOf(first.body.invoiceId));
  });

  it('needs a basket with something in it', async () => {
    const answer = await shop.shopper().giveAddress();
    expect([answer.status, answer.body.success]).to.deep.equal([400, false]);
    expect(answer.body).to.not.have.property('errors');
  });
});
