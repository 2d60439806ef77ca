import type { Address } from '#values/address.ts';

/** Which purposes an address is the first choice for; what is missing stays as it is. */
export interface DefaultFor {
  readonly isDefaultBilling?: boolean | undefined;
  readonly isDefaultShipping?: boolean | undefined;
}

interface KeptAddress extends DefaultFor {
  readonly addressId: string;
  readonly address: Address;
  /** Who the member has proven to be. */
  readonly customerId: string | null;
}

export interface AddAccountAddress extends KeptAddress {
  readonly type: 'AddAccountAddress';
}

/** Replaces an address. */
export interface ChangeAccountAddress extends KeptAddress {
  readonly type: 'ChangeAccountAddress';
}

/** The member has proven to be this customer. */
export interface LinkAddressBook {
  readonly type: 'LinkAddressBook';
  readonly customerId: string;
  /** False where a stranger may have chosen them. */
  readonly keepsDefaults: boolean;
}

export type AddressBookCommand =
  | AddAccountAddress
  | ChangeAccountAddress
  | { readonly type: 'RemoveAccountAddress'; readonly addressId: string }
  | LinkAddressBook
  | { readonly type: 'CloseAddressBook' };
