import type { Kind } from '#command/engine/streams.ts';
import type { DiscountUsageEvent } from '#events/discount-usage.events.ts';
import type { DiscountUsageCommand } from './discount-usage.commands.ts';
import { discountUsageDecider, type DiscountUsageState, type UsageLimits } from './discount-usage.decider.ts';

/** The uses of one discount, under the rule's own id; the limits are the rule's of now. */
export const discountUsageStream: Kind<
  DiscountUsageState,
  DiscountUsageCommand,
  DiscountUsageEvent,
  UsageLimits | null
> = {
  decider: discountUsageDecider,
  context:
    ({ reference }, { discountId }) =>
    () =>
      reference.discounts.byId(discountId)?.rule ?? null,
};
