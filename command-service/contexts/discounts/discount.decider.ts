import { datedDecider } from '#entities/dated-rule.ts';
import { discount, type Discount, type DiscountEvent, type NewDiscount } from '#entities/discount.entity.ts';
import type { EntityDefinition } from '#kernel/entity.ts';

const { DiscountActivated, DiscountDeactivated, DiscountExpired } = discount.events.create;

/** Discount rules. What takes them off a basket is in pricing, who may use them how often is their usage's. */
export const discountDecider = datedDecider(
  discount as EntityDefinition<Discount, DiscountEvent, NewDiscount>,
  {
    statusAtFirst: 'Active',
    named: ({ name, code, category }) => ({ name, code, category }),
    activated: DiscountActivated,
    deactivated: DiscountDeactivated,
    expired: DiscountExpired,
  },
);
