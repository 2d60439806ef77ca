import { z } from 'zod';
import { defineEvents, secret, type EventOf } from './define-events.ts';
import { text } from './fields.ts';

/** Who is asked for addresses (docs/rules/address-lookup.md#providers). Stream `addressLookups-<one>`. */
export const addressLookupEvents = defineEvents('addressLookup', {
  /** `none`: no provider is asked. */
  AddressLookupChosen: { provider: text },
  /** `configuration` is the whole of it, by the fields of the provider: keys of accounts are among them. */
  AddressLookupConfigured: { provider: text, configuration: secret(z.record(text, z.string())) },
});
export type AddressLookupEvent = EventOf<typeof addressLookupEvents>;
