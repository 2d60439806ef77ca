import type { AddressBookEvent } from '#events/address-book.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Evolution } from '#kernel/evolution.ts';
import type { Address } from '#values/address.ts';

export interface AccountAddress {
  readonly id: string;
  readonly address: Address;
}

/** The addresses of one member. */
export interface AddressBook {
  /** In the order in which they were added. */
  readonly addresses: readonly AccountAddress[];
  readonly defaultBillingId: string | null;
  readonly defaultShippingId: string | null;
  /** Who the member has proven to be. */
  readonly customerId: string | null;
  /** Its account is gone. */
  readonly isClosed: boolean;
}

export const emptyAddressBook = (): AddressBook => ({
  addresses: [],
  defaultBillingId: null,
  defaultShippingId: null,
  customerId: null,
  isClosed: false,
});

type Kept = EventOfType<AddressBookEvent, 'AccountAddressAdded' | 'AccountAddressChanged'>;
type Defaults = Pick<AddressBook, 'defaultBillingId' | 'defaultShippingId'>;

const withDefaults = (book: AddressBook, { defaultBillingId, defaultShippingId }: Defaults): AddressBook => ({
  ...book,
  defaultBillingId,
  defaultShippingId,
});

/** Of an address that was forgotten nothing is left. */
const kept = (book: AddressBook, { data }: Kept): AddressBook => {
  const { addressId: id, address, customerId } = data;
  const isKnown = book.addresses.some((one) => one.id === id);
  const others = book.addresses.filter((one) => one.id !== id);
  const addresses =
    address === null
      ? others
      : isKnown
        ? book.addresses.map((one) => (one.id === id ? { id, address } : one))
        : [...others, { id, address }];
  return { ...withDefaults(book, data), addresses, customerId: customerId ?? book.customerId };
};

export const onAddressBookEvents: Evolution<AddressBook, AddressBookEvent> = {
  AccountAddressAdded: kept,
  AccountAddressChanged: kept,
  AccountAddressRemoved: (book, { data }) => ({
    ...withDefaults(book, data),
    addresses: book.addresses.filter(({ id }) => id !== data.addressId),
  }),
  AddressBookLinked: (book, { data }) => ({ ...withDefaults(book, data), customerId: data.customerId }),
  AddressBookClosed: ({ customerId }) => ({ ...emptyAddressBook(), customerId, isClosed: true }),
};

const addressOf = ({ addresses }: AddressBook, wanted: string | null): Address | null =>
  addresses.find(({ id }) => id === wanted)?.address ?? null;

/** What a checkout takes that was given no address; null: the member has chosen none. */
export interface DefaultAddresses {
  readonly billing: Address | null;
  readonly shipping: Address | null;
}

export const defaultAddressesOf = (book: AddressBook): DefaultAddresses => ({
  billing: addressOf(book, book.defaultBillingId),
  shipping: addressOf(book, book.defaultShippingId),
});
