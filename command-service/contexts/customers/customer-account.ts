import type { CommandDeps } from '#command/engine/service-deps.ts';
import { normalEmail } from '#values/email-address.ts';
import type { CustomerAccount, CustomersApi } from './customer.commands.ts';
import { outstandingOf, type CustomerState } from './customer.state.ts';
import { customerStream } from './customer.stream.ts';

const accountIn = (customerId: string, state: CustomerState): CustomerAccount | null => {
  if (state.status !== 'known' || !state.fields.hasAccountTerms) return null;
  const { paymentTermsDays, creditLimit } = state.fields;
  return { customerId, paymentTermsDays, creditLimit, outstanding: outstandingOf(state) };
};

/** From the customer's own stream, which the engine keeps. */
export const accountOf =
  ({ streams }: Pick<CommandDeps, 'streams'>): CustomersApi['accountOf'] =>
  async (customerId) =>
    accountIn(customerId, (await streams.load(customerStream, customerId)).state);

/** The account of a member who names their own e-mail address; null for any other, and for one who is not linked. */
export const accountOfMember =
  ({ streams, apis }: Pick<CommandDeps, 'streams' | 'apis'>) =>
  async (memberId: string, email: string): Promise<CustomerAccount | null> => {
    const customerId = await apis.members.customerOf(memberId);
    if (customerId === null) return null;
    const { state } = await streams.load(customerStream, customerId);
    const isTheirs = state.status === 'known' && state.fields.email === normalEmail(email);
    return isTheirs ? accountIn(customerId, state) : null;
  };
