import type { ShopStream } from '#command/engine/streams.ts';
import type { AddressLookupEvent } from '#events/address-lookup.events.ts';
import { derivedId } from '#kernel/ids.ts';
import {
  addressLookupDecider,
  type AddressLookupCommand,
  type AddressLookupState,
} from './address-lookup.decider.ts';

export const ADDRESS_LOOKUPS = derivedId('addressLookups');

export const addressLookupStream: ShopStream<AddressLookupState, AddressLookupCommand, AddressLookupEvent> = {
  decider: addressLookupDecider,
};
