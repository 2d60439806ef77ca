import { addressLookupEvents } from '#events/address-lookup.events.ts';
import { defineProviders } from './define-providers.ts';

const { AddressLookupChosen, AddressLookupConfigured } = addressLookupEvents.create;

/** The providers of addresses (docs/rules/address-lookup.md#providers). */
export const addressLookupProviders = defineProviders({
  name: 'addressLookups',
  version: 1,
  noun: 'address lookup provider',
  path: '/address-lookup-providers',
  configured: AddressLookupConfigured,
  choice: { chosen: AddressLookupChosen, setting: 'AddressLookup.Provider', byDefault: 'built-in' },
});
