import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { GivenAddress } from '../../checkout/checkout.commands.ts';
import type { DefaultFor } from './address-book.commands.ts';
import type { AddressBook } from './address-book.state.ts';
import { addressBookStream } from './address-book.stream.ts';

/** An address book after a change. */
export interface ChangedBook {
  readonly book: AddressBook;
  readonly position: number;
}

type Given = GivenAddress & DefaultFor;

/** What members do with the addresses that they keep. Errors: `invalid-address` and those of the decider. */
export const createAddressBook = ({ streams, apis }: Pick<CommandDeps, 'streams' | 'apis'>) => {
  const keep =
    (type: 'AddAccountAddress' | 'ChangeAccountAddress') =>
    async (memberId: string, addressId: string, given: Given, meta: CommandMeta): Promise<ChangedBook> => {
      const { isDefaultBilling, isDefaultShipping, ...typed } = given;
      const address = apis.checkout.checkedAddress(typed);
      const customerId = await apis.members.customerOf(memberId);
      const command = { type, addressId, address, customerId, isDefaultBilling, isDefaultShipping };
      const { state: book, position } = await streams.send(addressBookStream, memberId, command, meta);
      return { book, position };
    };
  return {
    show: async (memberId: string): Promise<AddressBook> =>
      (await streams.load(addressBookStream, memberId)).state,
    add: keep('AddAccountAddress'),
    change: keep('ChangeAccountAddress'),
    /** Returns the position. */
    remove: async (memberId: string, addressId: string, meta: CommandMeta): Promise<number> => {
      const command = { type: 'RemoveAccountAddress', addressId } as const;
      return (await streams.send(addressBookStream, memberId, command, meta)).position;
    },
  };
};

export type AddressBookActions = ReturnType<typeof createAddressBook>;
