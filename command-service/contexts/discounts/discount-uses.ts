import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { DiscountUsageCommand, DiscountUses } from './discount-usage.commands.ts';
import { discountUsageDecider } from './discount-usage.decider.ts';

/** The uses of discounts: each rule's are asked on a stream of their own; the limits are the rule's of now. */
export const createDiscountUses = ({
  commands,
  reference,
}: Pick<CommandDeps, 'commands' | 'reference'>): DiscountUses => {
  const execute = async (command: DiscountUsageCommand, meta: CommandMeta): Promise<void> => {
    await commands.execute({
      decider: discountUsageDecider,
      id: command.discountId,
      command,
      context: () => undefined,
      meta,
      isProcessStep: true,
    });
  };
  return {
    claim: async ({ basketId, placementId, turn, customerId }, discountId, amount, meta) => {
      const discount = reference.discounts.byId(discountId);
      if (!discount) throw new Rejection('discount-not-applicable', 'This discount does not exist any more.');
      const { totalUsageLimit, perCustomerUsageLimit } = discount.rule;
      const limits = { totalUsageLimit, perCustomerUsageLimit };
      await execute(
        { type: 'ClaimDiscountUse', discountId, basketId, placementId, turn, customerId, amount, ...limits },
        meta,
      );
    },
    release: ({ basketId, placementId, turn, isFinal = false }, discountId, meta) =>
      execute({ type: 'ReleaseDiscountUse', discountId, basketId, placementId, turn, isFinal }, meta),
  };
};
