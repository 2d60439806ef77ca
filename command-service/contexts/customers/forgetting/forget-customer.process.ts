import { callsOf, remember, type Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import { customerStream } from '../customer.stream.ts';

/** A customer who is to be forgotten, with what their own stream still says of them. */
export interface OpenForgetting {
  readonly customerId: string;
  /** None once they are gone. */
  readonly emails: readonly string[];
  readonly memberKey: string | null;
}

/** Each may be asked for again: what is done already stays so. */
export interface ForgettingCalls {
  /** Ends the sessions, and removes the account and the saved methods, at their providers too. */
  readonly removeAccount: (customer: OpenForgetting) => Promise<void>;
  /** Lets others use the e-mail addresses. */
  readonly freeEmails: (customer: OpenForgetting) => Promise<void>;
  /** No order is placed of them any more. */
  readonly closeBaskets: (customer: OpenForgetting) => Promise<void>;
  /** Of the customer and of whatever names them. */
  readonly destroyKeys: (customer: OpenForgetting) => Promise<void>;
  /** Names what was theirs, part by part, and has each stream forget them; the number of parts. */
  readonly forgetStreams: (customer: OpenForgetting) => Promise<number>;
}

const call = callsOf<ForgettingCalls>();

/**
 * Forgets a customer (docs/rules/forgetting.md#steps). What needs their data comes before the keys are destroyed. What
 * is recorded between closing a basket and that may name them again: views drop it by what comes after the keys.
 */
export const forgetCustomer: Process<OpenForgetting, number> = {
  name: 'forget-customer',
  on: {
    CustomerForgettingStarted: 'opens',
    CustomerForgotten: ({ data }) => ((data as { readonly isLast: boolean }).isLast ? 'ends' : null),
  },
  takenOver: null,
  begins: () => 0,
  steps: [
    { name: 'remove the account', commands: (customer) => [call('removeAccount', customer)] },
    { name: 'free the e-mail addresses', commands: (customer) => [call('freeEmails', customer)] },
    { name: 'close the baskets', commands: (customer) => [call('closeBaskets', customer)] },
    { name: 'destroy the keys', commands: (customer) => [call('destroyKeys', customer)] },
    {
      name: 'forget what was theirs',
      commands: (customer) => [remember(call('forgetStreams', customer), (_, parts) => parts)],
    },
  ],
  completes: ({ customerId }, parts) =>
    to(customerStream, customerId, {
      type: 'NoteForgotten',
      part: parts + 1,
      basketIds: [],
      recordIds: [],
      invoiceIds: [],
      isLast: true,
    }),
  fails: null,
};
