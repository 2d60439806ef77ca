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

export type AddressBookCommand =
  | AddAccountAddress
  | ChangeAccountAddress
  | { readonly type: 'RemoveAccountAddress'; readonly addressId: string }
  | { readonly type: 'LinkAddressBook'; readonly customerId: string }
  | { readonly type: 'CloseAddressBook' };
