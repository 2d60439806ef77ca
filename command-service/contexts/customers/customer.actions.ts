import type { CommandDeps } from '#command/engine/service-deps.ts';
import { newId } from '#kernel/ids.ts';
import type { CustomersForNeighbours } from './customer.commands.ts';
import { customerStream } from './customer.stream.ts';

export const createCustomerActions = ({
  streams,
  claims,
}: Pick<CommandDeps, 'streams' | 'claims'>): CustomersForNeighbours => ({
  /** A crash between claim and registration leaves a claim whose owner the next address registers. */
  ensure: async (details, meta) => {
    const email = details.email.toLowerCase();
    const candidate = newId();
    const claimed = await claims.claim('customer-email', email, candidate, meta);
    const isNew = claimed.kind === 'ok';
    const customerId = isNew ? candidate : claimed.ownerId;
    await streams.send(customerStream, customerId, { type: 'RegisterCustomer', ...details, email }, meta, {
      isProcessStep: true,
      isNewId: isNew,
    });
    return customerId;
  },
});
