import type { Claims } from '#command/engine/claims.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { Streams } from '#command/engine/streams.ts';
import { newId } from '#kernel/ids.ts';
import type { RegisterCustomer } from './customer.commands.ts';
import { customerStream } from './customer.stream.ts';

interface CustomerActionDeps {
  readonly streams: Streams;
  readonly claims: Claims;
}

/** What other contexts may ask of customers; `main.ts` hands it on. */
export const createCustomerActions = ({ streams, claims }: CustomerActionDeps) => {
  return {
    /**
     * The customer with an e-mail address, made known if need be. A crash between claim and registration leaves a claim
     * whose owner the next address registers.
     */
    ensure: async (details: Omit<RegisterCustomer, 'type'>, meta: CommandMeta): Promise<string> => {
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
  };
};

export type CustomerActions = ReturnType<typeof createCustomerActions>;
