import type { AddressesBody, AddressInput } from '#contracts/checkout.contract.ts';

/** An address as a shopper types it. */
export const typedAddress = (changes: AddressInput = {}): AddressInput => ({
  name: 'Ada Lovelace',
  addressOne: '12 St James Square',
  townCity: 'London',
  postalCode: 'SW1Y 4JH',
  countryCode: 'GB',
  ...changes,
});

/** What `POST /addresses` is sent: billing only, which is the shipping address too. */
export const typedAddresses = (changes: AddressesBody = {}): AddressesBody => ({
  email: 'ada@example.com',
  billingAddress: typedAddress(),
  ...changes,
});
