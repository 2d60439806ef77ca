import type { AddressLookup, AddressSuggestion, LookedUpAddress } from '#ports/address-lookup.ts';
import { countryName } from '#values/region.ts';
import { knownAddresses } from './known-addresses.ts';

/** Letters and digits only count: "munchen" finds "München". */
const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

const entries = [...knownAddresses].map(([id, address]) => {
  const { company, addressOne, townCity, postalCode } = address;
  return { id, address, words: wordsOf([company, addressOne, townCity, postalCode].join(' ')) };
});

const suggestionOf = (id: string, address: LookedUpAddress): AddressSuggestion => {
  const { company, addressOne, townCity, postalCode, countryCode } = address;
  return {
    id,
    label: company === null ? addressOne : `${company}, ${addressOne}`,
    description: `${townCity} ${postalCode}, ${countryName(countryCode ?? '')}`,
  };
};

/** A few addresses that every shop knows, without a call to anybody (docs/rules/address-lookup.md#providers). */
export const builtInAddressLookup: AddressLookup = {
  alias: 'built-in',
  displayName: 'Built-in addresses',
  description: 'A few public buildings, to try a form out.',
  supportedCountries: null,
  fields: [],
  problems: () => Promise.resolve([]),
  suggest: ({ query, countryCode, limit }) => {
    const wanted = wordsOf(query);
    const found = entries.filter(
      ({ address, words }) =>
        (countryCode === null || address.countryCode === countryCode) &&
        wanted.every((part) => words.some((word) => word.startsWith(part))),
    );
    const suggestions = found.slice(0, limit).map(({ id, address }) => suggestionOf(id, address));
    return Promise.resolve({ kind: 'suggested', suggestions });
  },
  resolve: ({ id }) => {
    const address = knownAddresses.get(id);
    return Promise.resolve(address ? { kind: 'found', address } : { kind: 'unknown' });
  },
};
