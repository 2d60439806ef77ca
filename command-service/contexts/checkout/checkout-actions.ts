import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { CheckoutCommand } from './checkout.commands.ts';
import { checkoutStream } from './checkout.stream.ts';

/** What routes ask of a basket in checkout. */
export const createCheckoutActions = ({ streams }: Pick<CommandDeps, 'streams'>) => {
  const look = (basketId: string) => streams.load(checkoutStream, basketId);
  return {
    send: (basketId: string, command: CheckoutCommand, meta: CommandMeta) =>
      streams.send(checkoutStream, basketId, command, meta),
    load: async (basketId: string) => (await look(basketId)).state,
    /** The same with the position that it reflects. */
    look,
  };
};

export type CheckoutActions = ReturnType<typeof createCheckoutActions>;
