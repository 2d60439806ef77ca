import { callsOf, type Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import { customerStream } from './customer.stream.ts';

/** A customer who has been deleted, and the account that was theirs. */
export interface OpenRemoval {
  readonly customerId: string;
  readonly memberKey: string | null;
}

export interface RemovalCalls {
  readonly removeAccount: (account: {
    readonly memberId: string;
    readonly customerId: string;
  }) => Promise<void>;
}

const call = callsOf<RemovalCalls>();

/** Of an older release it is not known whether there was an account. */
const hasAccount = ({ data }: { readonly data: unknown }): boolean =>
  (data as { readonly hasAccount?: boolean }).hasAccount !== false;

/** From a deleted customer to the last of their account, which is no event and in no stream. */
export const removeAccount: Process<OpenRemoval, null> = {
  name: 'remove-account',
  on: {
    CustomerDeleted: (event) => (hasAccount(event) ? 'opens' : 'ends'),
    CustomerAccountRemoved: 'ends',
  },
  takenOver: null,
  begins: () => null,
  steps: [
    {
      name: 'remove the account',
      commands: ({ customerId, memberKey }) =>
        memberKey === null ? [] : [call('removeAccount', { memberId: memberKey, customerId })],
    },
  ],
  completes: ({ customerId }) => to(customerStream, customerId, { type: 'NoteAccountRemoved' }),
  fails: null,
};
