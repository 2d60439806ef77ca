import { expect } from 'chai';
import { addressBookEvents } from '#events/address-book.events.ts';
import {
  addressBookDecider,
  MAX_ADDRESSES,
} from '#command/contexts/members/addresses/address-book.decider.ts';
import { defaultAddressesOf } from '#command/contexts/members/addresses/address-book.state.ts';
import type { Address } from '#values/address.ts';
import { given, inContext } from '#test/support/given.ts';
import { emptyAddress } from '#values/address.ts';

const at = '2026-03-01T09:05:00.000Z';
const book = inContext(addressBookDecider, { at });
const home: Address = {
  ...emptyAddress,
  name: 'Ada Lovelace',
  addressOne: '12 High Street',
  countryCode: 'GB',
};
const office: Address = { ...home, addressOne: '1 Mill Lane' };
const add = (addressId: string, address = home, more = {}) =>
  ({ type: 'AddAccountAddress', addressId, address, customerId: null, ...more }) as const;
const change = (addressId: string, address: Address, more = {}) =>
  ({ type: 'ChangeAccountAddress', addressId, address, customerId: null, ...more }) as const;
const remove = (addressId: string) => ({ type: 'RemoveAccountAddress', addressId }) as const;
const {
  AccountAddressAdded,
  AccountAddressChanged,
  AccountAddressRemoved,
  AddressBookClosed,
  AddressBookLinked,
} = addressBookEvents.create;

describe('An address book', () => {
  const one = given(book).after(add('home'));
  const two = one.after(add('office', office));

  it('takes the first address for everything, unless it says otherwise', () => {
    const added = { addressId: 'home', address: home, customerId: null, at };
    const both = { defaultBillingId: 'home', defaultShippingId: 'home' };
    given(book)
      .when(add('home'))
      .then([AccountAddressAdded({ ...added, ...both })]);
    given(book)
      .when(add('home', home, { isDefaultShipping: false }))
      .then([AccountAddressAdded({ ...added, defaultBillingId: 'home', defaultShippingId: null })]);
  });

  it('keeps its first choices until another address is to be one', () => {
    two.when(change('office', office)).thenNothing();
    two.when(change('office', office, { isDefaultShipping: true })).then([
      AccountAddressChanged({
        ...{ addressId: 'office', address: office, customerId: null, at },
        ...{ defaultBillingId: 'home', defaultShippingId: 'office' },
      }),
    ]);
    const after = two.after(change('office', office, { isDefaultShipping: true })).state();
    expect(defaultAddressesOf(after)).to.deep.equal({ billing: home, shipping: office });
  });

  it('puts no other address in the place of a first choice that is removed', () => {
    two
      .when(remove('home'))
      .then([
        AccountAddressRemoved({ addressId: 'home', defaultBillingId: null, defaultShippingId: null, at }),
      ]);
    expect(defaultAddressesOf(two.after(remove('home')).state())).to.deep.equal({
      billing: null,
      shipping: null,
    });
  });

  it('takes an address that is added twice once', () => {
    one.when(add('home', office)).thenNothing();
  });

  it('does not know the addresses of others', () => {
    one.when(change('elsewhere', office)).thenRefused('entity-not-found');
    one.when(remove('elsewhere')).thenRefused('entity-not-found');
  });

  it(`keeps ${MAX_ADDRESSES}, and refuses one more until one is removed`, () => {
    const full = given(book).after(...Array.from({ length: MAX_ADDRESSES }, (_, index) => add(`a${index}`)));
    full.when(add('one more')).thenRefused('too-many-addresses');
    full.after(remove('a7')).when(add('one more')).thenLike(['AccountAddressAdded']);
  });

  it('is named after the customer once, as soon as there is something to forget', () => {
    const link = { type: 'LinkAddressBook', customerId: 'c1', keepsDefaults: true } as const;
    given(book).when(link).thenNothing();
    const home = { defaultBillingId: 'home', defaultShippingId: 'home' };
    one.when(link).then([AddressBookLinked({ customerId: 'c1', ...home, at })]);
    one.after(link).when(link).thenNothing();
    expect(addressBookDecider.subject?.('m1', one.after(link).state())).to.deep.equal({
      id: 'm1',
      customerId: 'c1',
    });
  });

  it('keeps addresses, and no first choice, that a stranger may have made before the proof', () => {
    const link = { type: 'LinkAddressBook', customerId: 'c1', keepsDefaults: false } as const;
    const none = { defaultBillingId: null, defaultShippingId: null };
    one.when(link).then([AddressBookLinked({ customerId: 'c1', ...none, at })]);
    one.after(link).when(link).thenNothing();
    expect(one.after(link).state().addresses).to.have.length(1);
    expect(defaultAddressesOf(one.after(link).state())).to.deep.equal({ billing: null, shipping: null });
  });

  it('is closed for good with its account', () => {
    const close = { type: 'CloseAddressBook' } as const;
    two.when(close).then([AddressBookClosed({ at })]);
    expect(two.after(close).state().addresses).to.deep.equal([]);
    two.after(close).when(close).thenNothing();
    two.after(close).when(add('late')).thenRefused('entity-not-found');
  });

  it('has nothing left of an address whose owner is forgotten', () => {
    const forgotten = AccountAddressAdded({
      ...{ addressId: 'home', address: null, customerId: 'c1', at },
      ...{ defaultBillingId: 'home', defaultShippingId: 'home' },
    });
    const { addresses } = given(book, [forgotten]).state();
    expect(addresses).to.deep.equal([]);
    expect(defaultAddressesOf(given(book, [forgotten]).state())).to.deep.equal({
      billing: null,
      shipping: null,
    });
  });
});
