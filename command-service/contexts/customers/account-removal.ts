import type { CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances, type Performs } from '#command/engine/run-process.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { customerStream } from './customer.stream.ts';
import { removeAccount, type RemovalCalls } from './remove-account.process.ts';

/** Takes the accounts of deleted customers along (docs/rules/members.md#accounts). */
export const createAccountRemoval = ({ streams, apis }: Pick<CommandDeps, 'streams' | 'apis'>) => {
  const calls: Performs<RemovalCalls> = {
    removeAccount: async ({ memberId, customerId }, meta) => {
      await apis.savedMethods.removeAll(customerId, meta);
      await apis.members.remove(memberId, customerId, meta);
    },
  };
  const instances = createInstances({ process: removeAccount, streams, calls });
  return {
    resume: (customerId: string, meta: CommandMeta) =>
      instances.run(customerId, meta, async () => {
        const { state } = await streams.load(customerStream, customerId);
        if (state.status !== 'deleted' || state.isAccountRemoved) return null;
        return { customerId, memberKey: state.memberKey };
      }),
    drain: () => instances.drain(),
  };
};

export type AccountRemoval = ReturnType<typeof createAccountRemoval>;
