import type { AddressLookupEvent } from '#events/address-lookup.events.ts';
import type { TextCipher } from '#values/text-cipher.ts';
import { createChosenProvider } from './chosen-provider.reference.ts';
import type { AddressLookupReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';

/** Who is asked for addresses, and what they are set to. */
export const createAddressLookupReference = (cipher: TextCipher): AddressLookupReference & ReferencePart => {
  const { choose, configure, ...chosen } = createChosenProvider(cipher);
  const on: Fold<AddressLookupEvent> = {
    AddressLookupChosen: ({ data: { provider } }) => choose(provider),
    AddressLookupConfigured: ({ data: { provider, configuration } }) => configure(provider, configuration),
  };
  return { ...chosen, name: 'addressLookups', version: 1, on };
};
