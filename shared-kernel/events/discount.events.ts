import { z } from 'zod';
import { defineEvents, type EventOf } from './define-events.ts';
import { count, guid, instant, minor, text } from './fields.ts';

export const discountStatus = z.enum(['Draft', 'Active', 'Scheduled', 'Expired', 'Disabled']);

/** A discount rule (docs/rules/discounts.md#rules). Money in minor units of the store's currency. */
export const discountRule = z.object({
  name: text,
  description: text.nullable(),
  category: z.enum(['AmountOffProducts', 'BuyXGetY', 'AmountOffOrder', 'FreeShipping']),
  method: z.enum(['Code', 'Automatic']),
  code: text.nullable(),
  valueType: z.enum(['FixedAmount', 'Percentage', 'Free']),
  /** A percentage for Percentage, minor units for FixedAmount. */
  value: z.number(),
  priority: z.int(),
  startsAt: instant,
  endsAt: instant.nullable(),
  timezone: text.nullable(),
  totalUsageLimit: count.nullable(),
  perCustomerUsageLimit: count.nullable(),
  /** Repeats of a BuyXGetY trigger in one order. */
  perOrderUsageLimit: count.nullable(),
  requirementType: z.enum(['None', 'MinimumPurchaseAmount', 'MinimumQuantity']),
  /** Minor units for MinimumPurchaseAmount, pieces for MinimumQuantity. */
  requirementValue: z.number().nullable(),
  minimumPurchaseAmount: minor.nullable(),
  minimumQuantity: count.nullable(),
  canCombineWithProductDiscounts: z.boolean(),
  canCombineWithOrderDiscounts: z.boolean(),
  canCombineWithShippingDiscounts: z.boolean(),
  showInFeed: z.boolean(),
  feedPromotionName: text.nullable(),
});
export type DiscountRule = z.output<typeof discountRule>;

/** A rule with its status: what the backoffice keeps. */
export type Discount = DiscountRule & { readonly status: z.output<typeof discountStatus> };

/** Discount rules. Stream `discount-<discountId>`. */
export const discountEvents = defineEvents('discounts', {
  DiscountCreated: { rule: discountRule, status: discountStatus, at: instant },
  DiscountChanged: { rule: discountRule, status: discountStatus, at: instant },
  DiscountActivated: { status: discountStatus, at: instant },
  DiscountDeactivated: { at: instant },
  DiscountDeleted: {},
});
export type DiscountEvent = EventOf<typeof discountEvents>;

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
