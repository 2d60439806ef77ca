import type { ShopStream } from '#command/engine/streams.ts';
import type { AddressBookEvent } from '#events/address-book.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { AddressBookCommand } from './address-book.commands.ts';
import { addressBookDecider, type AddressBookContext } from './address-book.decider.ts';
import type { AddressBook } from './address-book.state.ts';

/** The address book of a member, under the member's id. */
export const addressBookStream: ShopStream<
  AddressBook,
  AddressBookCommand,
  AddressBookEvent,
  AddressBookContext
> = {
  decider: addressBookDecider,
  context:
    ({ clock }) =>
    () => ({ at: isoInstant(clock.now()) }),
};
