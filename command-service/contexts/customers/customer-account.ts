import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { CustomersForNeighbours } from './customer.commands.ts';
import { customerStream } from './customer.stream.ts';

/** From the customer's own stream, which the engine keeps. */
export const accountOf =
  ({ streams }: Pick<CommandDeps, 'streams'>): CustomersForNeighbours['accountOf'] =>
  async (customerId) => {
    const { state } = await streams.load(customerStream, customerId);
    if (state.status !== 'known' || !state.fields.hasAccountTerms) return null;
    return { customerId, paymentTermsDays: state.fields.paymentTermsDays };
  };
