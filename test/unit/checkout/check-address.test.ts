import { expect } from 'chai';
import { checkAddresses, type AddressRules } from '#command/contexts/checkout/check-address.ts';
import type { AddressesBody, AddressInput } from '#contracts/checkout.contract.ts';
import { typedAddress, typedAddresses } from '#test/support/builders/address.ts';

const everywhere: AddressRules = {
  billingPhoneRequired: false,
  shipsTo: () => true,
  needsAccount: false,
};

const errorsOf = (changes: AddressesBody, rules = everywhere): Readonly<Record<string, string>> => {
  const checked = checkAddresses(typedAddresses(changes), rules);
  return checked.kind === 'invalid' ? checked.errors : {};
};

const billingOf = (changes: AddressInput) => {
  const checked = checkAddresses(typedAddresses({ billingAddress: typedAddress(changes) }), everywhere);
  return checked.kind === 'valid'
    ? checked.billingAddress
    : expect.fail(`not valid: ${Object.keys(checked.errors).join(', ')}`);
};

const billing = (changes: AddressInput): AddressesBody => ({ billingAddress: typedAddress(changes) });

describe('the addresses of a checkout', () => {
  it('are cleaned: trimmed, codes in capitals, the country with its name', () => {
    const address = billingOf({
      name: '  Ada  Lovelace ',
      countryCode: ' gb ',
      regionCode: 'eng',
      company: ' ',
    });
    expect(address).to.deep.include({
      name: 'Ada  Lovelace',
      company: null,
      countryCode: 'GB',
      country: 'United Kingdom',
      regionCode: 'ENG',
      countyState: 'England',
      email: 'ada@example.com',
      phone: null,
    });
  });

  it('use the billing address for shipping, unless told otherwise', () => {
    const checked = checkAddresses(
      typedAddresses({ shippingAddress: typedAddress({ name: 'Bob' }) }),
      everywhere,
    );
    expect(checked).to.deep.include({ kind: 'valid', shippingSameAsBilling: true, acceptsMarketing: false });
    expect(checked.kind === 'valid' && checked.shippingAddress.name).to.equal('Ada Lovelace');
    const other = typedAddresses({
      shippingAddress: typedAddress({ name: 'Bob' }),
      shippingSameAsBilling: false,
    });
    const both = checkAddresses(other, everywhere);
    expect(both.kind === 'valid' && both.shippingAddress.name).to.equal('Bob');
  });

  it('take first and last name as the name', () => {
    expect(billingOf({ name: null, firstName: 'Ada', lastName: 'King' }).name).to.equal('Ada King');
    expect(billingOf({ name: '', lastName: 'King' }).name).to.equal('King');
  });

  it('name every field that is missing', () => {
    const empty = { name: '', addressOne: ' ', townCity: null, postalCode: '', countryCode: undefined };
    expect(Object.keys(errorsOf({ email: null, ...billing(empty) }))).to.have.members([
      'email',
      'billing.name',
      'billing.addressOne',
      'billing.townCity',
      'billing.postalCode',
      'billing.countryCode',
    ]);
    expect(Object.keys(errorsOf({ billingAddress: null }))).to.deep.equal(['billingAddress']);
    expect(Object.keys(errorsOf({ shippingSameAsBilling: false }))).to.deep.equal(['shippingAddress']);
  });

  for (const email of ['ada', 'ada@example', '@example.com', 'a da@example.com', 'a@b@example.com']) {
    it(`do not take ${email} for an e-mail address`, () => {
      expect(Object.keys(errorsOf({ email }))).to.deep.equal(['email']);
    });
  }

  it('check a telephone number only when there is one, unless the shop needs it', () => {
    for (const phone of ['+44 (0)20 7946-0000', '5', null, ' '])
      expect(errorsOf(billing({ phone }))).to.deep.equal({});
    for (const phone of ['call me', '++44', '( )', '020.7946']) {
      expect(Object.keys(errorsOf(billing({ phone }))), phone).to.deep.equal(['billing.phone']);
    }
    const rules = { ...everywhere, billingPhoneRequired: true };
    expect(Object.keys(errorsOf({}, rules))).to.deep.equal(['billing.phone']);
  });

  it('reject an enormous telephone number quickly', () => {
    const phone = `${'1'.repeat(200_000)}!`;
    expect(Object.keys(errorsOf(billing({ phone })))).to.deep.equal(['billing.phone']);
  });

  it('have fields of at most 250 characters', () => {
    expect(errorsOf(billing({ addressTwo: 'x'.repeat(250) }))).to.deep.equal({});
    expect(Object.keys(errorsOf(billing({ addressTwo: 'x'.repeat(251) })))).to.deep.equal([
      'billing.addressTwo',
    ]);
  });

  it('check regions of countries with a list of them, and leave others as typed', () => {
    const inUs = { countryCode: 'US', postalCode: '12401' };
    expect(billingOf({ ...inUs, regionCode: 'ny' }).regionCode).to.equal('NY');
    expect(Object.keys(errorsOf(billing({ ...inUs, regionCode: 'ZZ' })))).to.deep.equal([
      'billing.regionCode',
    ]);
    expect(billingOf({ ...inUs, countyState: 'new york' })).to.deep.include({
      regionCode: 'NY',
      countyState: 'new york',
    });
    expect(billingOf({ ...inUs, countyState: 'Somewhere' })).to.deep.include({ regionCode: null });
    expect(billingOf({ countryCode: 'VA', regionCode: 'abc' }).regionCode).to.equal('ABC');
  });

  it('know countries, and where the shop ships', () => {
    expect(Object.keys(errorsOf(billing({ countryCode: 'XX' })))).to.deep.equal(['billing.countryCode']);
    const onlyFrance = { ...everywhere, shipsTo: (code: string) => code === 'FR' };
    expect(Object.keys(errorsOf({}, onlyFrance))).to.deep.equal(['shipping.countryCode']);
    const toFrance = { shippingAddress: typedAddress({ countryCode: 'FR' }), shippingSameAsBilling: false };
    expect(errorsOf(toFrance, onlyFrance)).to.deep.equal({});
  });

  it('need a password if something is sold to account holders only', () => {
    const guest = { ...everywhere, needsAccount: true };
    expect(Object.keys(errorsOf({}, guest))).to.deep.equal(['password']);
    expect(errorsOf({ password: 'whatever' }, guest)).to.deep.equal({});
    expect(errorsOf({ password: ' ' }, guest)).to.have.property('password');
  });
});
