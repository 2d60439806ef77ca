import { defineEvents, type EventOf } from './define-events.ts';
import { count, guid, minor } from './fields.ts';

/** Uses of one rule. Stream `discountUsage-<discountId>`: it guarantees the usage limits. */
export const discountUsageEvents = defineEvents('discountUsage', {
  DiscountUseClaimed: {
    discountId: guid,
    basketId: guid,
    placementId: guid,
    turn: count.optional(),
    customerId: guid,
    amount: minor,
    /** Uses after this one. */
    uses: count,
  },
  DiscountUseReleased: {
    discountId: guid,
    basketId: guid,
    placementId: guid,
    turn: count.optional(),
    uses: count,
  },
});
export type DiscountUsageEvent = EventOf<typeof discountUsageEvents>;
