import { z } from 'zod';
import { defineEvents, type EventOf } from './define-events.ts';
import { count, guid, minor } from './fields.ts';

/**
 * Uses of one rule that has a limit. Stream `discountUsage-<discountId>`; the uses of one customer, where these are
 * limited, in a stream of their own (`customerUsageId`).
 */
export const discountUsageEvents = defineEvents(
  'discountUsage',
  {
    DiscountUseClaimed: {
      discountId: guid,
      basketId: guid,
      placementId: guid,
      turn: count.optional(),
      /** Null where the sale has none. */
      customerId: guid.nullable(),
      amount: minor,
      /** Uses after this one. */
      uses: count,
    },
    /**
     * The rule has gained a limit: uses of standing invoices that were placed up to this position without a claim.
     * `perCustomer`: the streams of customers have taken over theirs as well. `isLast`: read after the rule was saved.
     */
    DiscountUsesTakenOver: {
      discountId: guid,
      through: z.int(),
      perCustomer: z.boolean(),
      isLast: z.boolean().optional(),
      settled: count,
      open: z.array(z.object({ basketId: guid, placementId: guid })),
      uses: count,
    },
    /** The sale is confirmed: the use stands for good, and its basket is forgotten. */
    DiscountUseSettled: { discountId: guid, basketId: guid, placementId: guid, uses: count },
    DiscountUseReleased: {
      discountId: guid,
      basketId: guid,
      placementId: guid,
      turn: count.optional(),
      uses: count,
    },
  },
  { DiscountUseClaimed: 2 },
);
export type DiscountUsageEvent = EventOf<typeof discountUsageEvents>;
