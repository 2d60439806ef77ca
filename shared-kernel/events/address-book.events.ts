import { defineEvents, personal, type EventOf } from './define-events.ts';
import { address, guid, instant } from './fields.ts';

/** After the event; null: none. */
const defaults = { defaultBillingId: guid.nullable(), defaultShippingId: guid.nullable() };

const kept = {
  addressId: guid,
  address: personal(address),
  /** Who the member has proven to be: to forget the customer is to forget the address. Null: not proven yet. */
  customerId: guid.nullable(),
  ...defaults,
  at: instant,
};

/** The addresses that a member keeps. Stream `addressBook-<memberId>`; the data subject is the member. */
export const addressBookEvents = defineEvents('members', {
  AccountAddressAdded: kept,
  AccountAddressChanged: kept,
  AccountAddressRemoved: { addressId: guid, ...defaults, at: instant },
  /** The member has proven to be this customer. */
  AddressBookLinked: { customerId: guid, ...defaults, at: instant },
  /** The account is gone, and its addresses with it. */
  AddressBookClosed: { at: instant },
});
export type AddressBookEvent = EventOf<typeof addressBookEvents>;
