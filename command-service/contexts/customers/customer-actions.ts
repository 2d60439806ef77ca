import type { Claims } from '#command/engine/claims.ts';
import type { CommandEngine, CommandMeta } from '#command/engine/command-engine.ts';
import { newId } from '#kernel/ids.ts';
import type { RegisterCustomer } from './customer.commands.ts';
import { customerDecider, previousSaleDay } from './customer.decider.ts';

interface CustomerActionDeps {
  readonly commands: CommandEngine;
  readonly claims: Claims;
}

/** What other contexts may ask of customers; `main.ts` hands it on. */
export const createCustomerActions = ({ commands, claims }: CustomerActionDeps) => {
  const send = (
    customerId: string,
    command: Parameters<typeof customerDecider.decide>[1],
    meta: CommandMeta,
    isNewId = false,
  ) =>
    commands.execute({
      decider: customerDecider,
      id: customerId,
      command,
      context: () => undefined,
      meta,
      isProcessStep: true,
      isNewId,
    });

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
      await send(customerId, { type: 'RegisterCustomer', ...details, email }, meta, isNew);
      return customerId;
    },

    /** Remembers a confirmed sale; answers the day of the one before it. */
    recordSale: async (
      customerId: string,
      invoiceId: string,
      businessDay: string,
      meta: CommandMeta,
    ): Promise<string | null> => {
      const { state } = await send(customerId, { type: 'RecordCustomerSale', invoiceId, businessDay }, meta);
      return previousSaleDay(state, invoiceId);
    },
  };
};

export type CustomerActions = ReturnType<typeof createCustomerActions>;
