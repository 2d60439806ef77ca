import { expect } from 'chai';
import type { AddressInput } from '#contracts/checkout.contract.ts';
import { typedAddress } from '#test/support/builders/address.ts';
import { openMemberShop, type Customer, type MemberShop } from '#test/support/member-shop.ts';

const addresses = '/api/shop/account/addresses';
type Kept = AddressInput & { readonly isDefaultBilling?: boolean; readonly isDefaultShipping?: boolean };

/** docs/rules/account.md#addresses */
describe('The addresses of an account', () => {
  let opened: MemberShop;
  let mugId: string;
  let people = 0;
  let ada: Customer;
  let email: string;
  before(async () => {
    opened = await openMemberShop();
    mugId = await opened.shop.sell('MUG', { price: 10 });
  });
  after(() => opened.close());

  const member = async (): Promise<Customer> => {
    const customer = opened.customer();
    customer.from = `198.51.100.${++people}`;
    email = `ada${people}@example.com`;
    await customer.signUp(email);
    return customer;
  };
  beforeEach(async () => {
    ada = await member();
  });
  const keep = async (by: Customer, changes: Kept = {}): Promise<string> => {
    const { status, body, text, headers } = await by.post(addresses, { ...typedAddress(), ...changes });
    expect(status, text).to.equal(201);
    expect(headers.get('location')).to.equal(`${addresses}/${body.id}`);
    return body.id;
  };
  const listed = async (by = ada) => (await by.get(addresses)).body.addresses as Record<string, unknown>[];

  it('are added, changed, chosen and removed by their member', async () => {
    const home = await keep(ada, { phone: '+44 20 7946 0001' });
    const office = await keep(ada, { addressOne: '1 Mill Lane', isDefaultShipping: true });
    expect(await listed()).to.deep.equal([
      {
        ...{ id: home, name: 'Ada Lovelace', firstName: 'Ada', lastName: 'Lovelace', company: null },
        ...{ addressOne: '12 St James Square', addressTwo: null, townCity: 'London', countyState: null },
        ...{ regionCode: null, postalCode: 'SW1Y 4JH', countryCode: 'GB', country: 'United Kingdom' },
        ...{ phone: '+44 20 7946 0001', isDefaultBilling: true, isDefaultShipping: false },
      },
      {
        ...(await listed())[0],
        id: office,
        addressOne: '1 Mill Lane',
        phone: null,
        isDefaultBilling: false,
        isDefaultShipping: true,
      },
    ]);
    const moved = await ada.put(`${addresses}/${home}`, { ...typedAddress(), townCity: 'Hull' });
    expect(moved.body).to.include({ success: true, id: home, townCity: 'Hull', isDefaultBilling: true });
    expect((await ada.delete(`${addresses}/${home}`)).status).to.equal(200);
    expect((await listed()).map(({ id }) => id)).to.deep.equal([office]);
    expect((await ada.delete(`${addresses}/${home}`)).status).to.equal(404);
  });

  it('are named by field where they are wrong, and then nothing is kept', async () => {
    const { status, body } = await ada.post(addresses, {
      ...typedAddress(),
      townCity: ' ',
      countryCode: 'QQ',
    });
    expect(status).to.equal(400);
    expect(body.errors).to.deep.equal({
      townCity: 'Enter the town or city.',
      countryCode: 'QQ is not a country code (ISO 3166-1, two letters).',
    });
    expect(await listed()).to.deep.equal([]);
  });

  it('of another member are as good as none', async () => {
    const hers = await keep(ada);
    const other = await member();
    const wanted = { ...typedAddress(), townCity: 'Leeds' };
    for (const answer of [
      await other.put(`${addresses}/${hers}`, wanted),
      await other.delete(`${addresses}/${hers}`),
    ]) {
      expect(answer.status).to.equal(404);
      expect(answer.body).to.include({ success: false, message: 'There is no such address.' });
    }
    expect(await listed(other)).to.deep.equal([]);
    expect(await listed()).to.have.length(1);
  });

  it('are nobody’s who is not signed in', async () => {
    expect((await opened.customer().get(addresses)).status).to.equal(401);
    expect((await opened.customer().post(addresses, typedAddress())).status).to.equal(401);
  });

  it('are kept once under an idempotency key', async () => {
    const key = { 'Idempotency-Key': 'home' };
    const first = await ada.post(addresses, typedAddress(), key);
    const again = await ada.post(addresses, typedAddress(), key);
    expect(again.body).to.deep.equal(first.body);
    expect(await listed()).to.have.length(1);
  });

  it('go with a checkout that sends none', async () => {
    await keep(ada);
    await keep(ada, { addressOne: '1 Mill Lane', isDefaultShipping: true });
    await ada.add(mugId);
    const { status, body, text } = await ada.asks('/addresses', {});
    expect(status, text).to.equal(200);
    expect(body.basket.billingAddress).to.include({ addressOne: '12 St James Square', email });
    expect(body.basket.shippingAddress).to.include({ addressOne: '1 Mill Lane', email });
  });

  it('are there once a checkout begins, which can then be paid', async () => {
    await keep(ada);
    await ada.add(mugId);
    const begun = await ada.asks('/initialize', {});
    expect(begun.status, begun.text).to.equal(200);
    expect(begun.body.basket.billingAddress).to.include({ townCity: 'London' });
    expect((await ada.pay()).status).to.equal(200);
  });

  it('are a default after the proof only where their member was signed in: else a stranger may have chosen', async () => {
    const stranger = ada;
    await keep(stranger, { addressOne: 'Where goods are to end up' });
    const owner = opened.customer();
    await owner.prove(email);
    await owner.signIn(email);
    expect((await listed(owner))[0]).to.include({ isDefaultBilling: false, isDefaultShipping: false });
    await owner.add(mugId);
    const begun = await owner.initialize();
    expect([begun.status, begun.body.basket.billingAddress]).to.deep.equal([200, null]);
    const own = await member();
    await keep(own);
    await own.prove(email);
    expect((await listed(own))[0]).to.include({ isDefaultBilling: true, isDefaultShipping: true });
  });

  it('stay out of a checkout that goes to another country, or has its own', async () => {
    await keep(ada);
    await ada.add(mugId);
    const elsewhere = await ada.asks('/initialize', { countryCode: 'US' });
    expect(elsewhere.body.basket.billingAddress).to.equal(null);
    await ada.addresses({ billingAddress: typedAddress({ townCity: 'York' }) });
    const { body } = await ada.initialize();
    expect(body.basket.billingAddress).to.include({ townCity: 'York' });
  });

  it('go with the account when its customer is deleted', async () => {
    const { id } = (await ada.get('/api/shop/account')).body;
    await ada.prove(email);
    await keep(ada);
    await opened.shop.settle();
    const { body } = await opened.shop.admin.get(`/backoffice/api/v1/customers?search=${email}`);
    expect(
      (await opened.shop.admin.delete(`/backoffice/api/v1/customers/${body.items[0].id}`)).status,
    ).to.equal(204);
    expect((await ada.get(addresses)).status).to.equal(401);
    const written = await opened.shop.shop.runtime.store.readStream(`addressBook-${id}`);
    expect(written.map(({ type }) => type)).to.deep.equal(['AccountAddressAdded', 'AddressBookClosed']);
    expect(JSON.stringify(written), 'in clear').not.to.contain('St James Square');
  });
});
