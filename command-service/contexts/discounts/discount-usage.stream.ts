import type { ShopStream } from '#command/engine/streams.ts';
import type { DiscountUsageEvent } from '#events/discount-usage.events.ts';
import type { DiscountUsageCommand } from './discount-usage.commands.ts';
import { discountUsageDecider, type DiscountUsageState, type UsageLimit } from './discount-usage.decider.ts';

/**
 * The uses of one discount, under the rule's own id, and those of one customer, under `customerUsageId`; the limits are
 * the rule's of now.
 */
export const discountUsageStream: ShopStream<
  DiscountUsageState,
  DiscountUsageCommand,
  DiscountUsageEvent,
  UsageLimit | null
> = {
  decider: discountUsageDecider,
  context:
    ({ reference }, { discountId }, id) =>
    () => {
      const rule = reference.discounts.byId(discountId)?.rule;
      if (rule === undefined) return null;
      return id === discountId
        ? { most: rule.totalUsageLimit, errorCode: 'UsageLimitReached' }
        : { most: rule.perCustomerUsageLimit, errorCode: 'CustomerUsageLimitReached' };
    },
};
