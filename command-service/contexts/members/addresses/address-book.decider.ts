import { addressBookEvents, type AddressBookEvent } from '#events/address-book.events.ts';
import { decideBy, type Decider, type Rules } from '#kernel/decider.ts';
import { notFound } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type {
  AddAccountAddress,
  AddressBookCommand,
  ChangeAccountAddress,
  DefaultFor,
  LinkAddressBook,
} from './address-book.commands.ts';
import { emptyAddressBook, onAddressBookEvents, type AddressBook } from './address-book.state.ts';

export interface AddressBookContext {
  /** ISO instant. */
  readonly at: string;
}

const {
  AccountAddressAdded,
  AccountAddressChanged,
  AccountAddressRemoved,
  AddressBookClosed,
  AddressBookLinked,
} = addressBookEvents.create;

/** That one member can keep. */
export const MAX_ADDRESSES = 200;

const chosen = (current: string | null, id: string, isWanted: boolean | undefined): string | null => {
  if (isWanted === undefined) return current;
  if (isWanted) return id;
  return current === id ? null : current;
};

const defaultsWith = (
  book: AddressBook,
  id: string,
  { isDefaultBilling, isDefaultShipping }: DefaultFor,
) => ({
  defaultBillingId: chosen(book.defaultBillingId, id, isDefaultBilling),
  defaultShippingId: chosen(book.defaultShippingId, id, isDefaultShipping),
});

const noDefaults = { defaultBillingId: null, defaultShippingId: null };

/** A book that was closed has no account behind it any more. */
const refuseClosed = ({ isClosed }: AddressBook): void => {
  if (isClosed) throw notFound('account');
};

const existing = ({ addresses }: AddressBook, addressId: string) => {
  const found = addresses.find(({ id }) => id === addressId);
  if (!found) throw notFound('address');
  return found;
};

/** The first one is the first choice for everything, unless it says otherwise. */
const add = (
  book: AddressBook,
  { type: _, addressId, address, customerId, ...wanted }: AddAccountAddress,
  { at }: AddressBookContext,
): AddressBookEvent[] => {
  refuseClosed(book);
  if (book.addresses.some(({ id }) => id === addressId)) return [];
  if (book.addresses.length >= MAX_ADDRESSES)
    throw new Rejection(
      'too-many-addresses',
      `${MAX_ADDRESSES} addresses are kept, and no more can be. Remove one first.`,
    );
  const isFirst = book.addresses.length === 0 ? true : undefined;
  const { isDefaultBilling = isFirst, isDefaultShipping = isFirst } = wanted;
  const defaults = defaultsWith(book, addressId, { isDefaultBilling, isDefaultShipping });
  return [AccountAddressAdded({ addressId, address, customerId, ...defaults, at })];
};

const change = (
  book: AddressBook,
  { type: _, addressId, address, customerId, ...wanted }: ChangeAccountAddress,
  { at }: AddressBookContext,
): AddressBookEvent[] => {
  const before = existing(book, addressId);
  const defaults = defaultsWith(book, addressId, wanted);
  const { defaultBillingId, defaultShippingId } = book;
  const isSame =
    isSameJson(before.address, address) && isSameJson(defaults, { defaultBillingId, defaultShippingId });
  return isSame ? [] : [AccountAddressChanged({ addressId, address, customerId, ...defaults, at })];
};

const link = (
  book: AddressBook,
  { customerId, keepsDefaults }: LinkAddressBook,
  { at }: AddressBookContext,
): AddressBookEvent[] => {
  if (book.addresses.length === 0) return [];
  const { defaultBillingId, defaultShippingId } = book;
  const before = { customerId: book.customerId, defaultBillingId, defaultShippingId };
  const after = { ...before, customerId, ...(!keepsDefaults && noDefaults) };
  return isSameJson(before, after) ? [] : [AddressBookLinked({ ...after, at })];
};

const rules: Rules<AddressBook, AddressBookCommand, AddressBookEvent, AddressBookContext> = {
  AddAccountAddress: add,
  ChangeAccountAddress: change,
  // No other takes the place of a first choice: an order must not go to an address that its buyer did not choose.
  RemoveAccountAddress: (book, { addressId }, { at }) => {
    existing(book, addressId);
    const defaults = defaultsWith(book, addressId, { isDefaultBilling: false, isDefaultShipping: false });
    return [AccountAddressRemoved({ addressId, ...defaults, at })];
  },
  LinkAddressBook: link,
  CloseAddressBook: ({ isClosed }, _, { at }) => (isClosed ? [] : [AddressBookClosed({ at })]),
};

/** The addresses that a member keeps (docs/rules/account.md#addresses). */
export const addressBookDecider: Decider<
  AddressBook,
  AddressBookCommand,
  AddressBookEvent,
  AddressBookContext
> = {
  category: 'addressBook',
  initial: emptyAddressBook,
  decide: decideBy(rules),
  on: onAddressBookEvents,
  snapshot: { version: 1, every: 500 },
  remembersCommands: { last: 100 },
  subject: (id, { customerId }) => ({ id, customerId }),
};
