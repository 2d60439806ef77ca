import { expect } from 'chai';
import { typedAddress } from '#test/support/builders/address.ts';
import { add, billTo, giveAddresses, pay, readyToPay } from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

describe('POST /checkout/addresses', () => {
  let shop: TestShop;
  let mug: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10 });
  });
  after(() => shop.close());

  it('saves the addresses and answers with the basket and the cookies of the place', async () => {
    const shopper = shop.shopper();
    const { headers } = await shop
      .given(add(mug, 2))
      .by(shopper)
      .when(giveAddresses({ email: 'new@example.com' }))
      .then(200, { success: true, message: '', warnings: [] })
      .and(body(({ basket }) => expect(basket.itemCount).to.equal(2)))
      .and(events('ValueClaimed', 'CustomerRegistered', 'CheckoutAddressesChanged'));
    expect([...shopper.cookies.values()]).to.include('GB');
    expect(headers.get('Tillroll-Position')).to.not.equal(null);
  });

  it('tells all problems at once, each under its field', async () => {
    const wrong = {
      email: 'nobody',
      billingAddress: { countryCode: 'GB' },
      shippingAddress: { name: 'Ada', addressOne: '1 High Street', townCity: 'London', countryCode: 'XX' },
      shippingSameAsBilling: false,
    };
    const { body: told } = await shop
      .given(add(mug))
      .when(giveAddresses(wrong))
      .then(400, { success: false })
      .and(refusedFor('invalid-address'))
      .and(noNewEvents());
    expect(told.message).to.be.a('string').and.not.empty;
    expect(Object.keys(told.errors)).to.have.members([
      'email',
      'billing.name',
      'billing.addressOne',
      'billing.townCity',
      'billing.postalCode',
      'shipping.countryCode',
      'shipping.postalCode',
    ]);
    for (const text of Object.values(told.errors)) expect(text).to.be.a('string');
  });

  it('asks for no postal code in a country that has none', async () => {
    const inDubai = typedAddress({ postalCode: '', countryCode: 'AE', townCity: 'Dubai' });
    await shop
      .given(add(mug))
      .when(
        giveAddresses({
          billingAddress: inDubai,
          shippingSameAsBilling: false,
          shippingAddress: typedAddress(),
        }),
      )
      .then(200)
      .and(
        body(({ basket }) => expect(basket.billingAddress).to.include({ postalCode: '', countryCode: 'AE' })),
      );
  });

  it('ignores the shipping address when it is the same as billing', async () => {
    const same = { shippingAddress: { name: '' } };
    await shop
      .given(add(mug))
      .when(giveAddresses({ ...same, shippingSameAsBilling: true }))
      .then(200);
    await shop.given(add(mug)).when(giveAddresses(same)).then(200);
  });

  it('refuses a country to which nothing is sent', async () => {
    await shop
      .given(add(mug))
      .when(billTo({ countryCode: 'XX' }))
      .then(400)
      .and(body(({ errors }) => expect(errors).to.have.property('billing.countryCode')))
      .and(noNewEvents());
  });

  it('knows a shopper by the e-mail address, whatever its case', async () => {
    const customers: string[] = [];
    for (const email of ['Ada@Example.com', 'ada@example.COM']) {
      const addresses = giveAddresses({ email, billingAddress: typedAddress() });
      const { body: paid } = await shop
        .given(...readyToPay(mug), addresses)
        .when(pay())
        .then(200);
      const [stored] = await shop.shop.runtime.store.readStream(`invoice-${paid.invoiceId}`, { limit: 1 });
      const { content } = JSON.parse(stored?.data ?? '{}') as { content: { customerId: string } };
      customers.push(content.customerId);
    }
    expect(customers[1]).to.be.a('string').and.equal(customers[0]);
  });

  it('needs a basket with something in it', async () => {
    await shop
      .given()
      .when(giveAddresses())
      .then(400, { success: false })
      .and(refusedFor('basket-not-found'))
      .and(body((told) => expect(told).to.not.have.property('errors')));
  });
});
