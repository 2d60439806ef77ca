import type { ShippingOption } from '#entities/shipping-option.entity.ts';
import { rulesOn } from '#kernel/entity.ts';

const rule = rulesOn<ShippingOption>();

/** What an option must be as a whole. */
export const shippingOptionRules = [
  rule(['daysFrom', 'daysTo'], ({ daysFrom, daysTo }) =>
    daysTo < daysFrom ? ['daysTo: not fewer days than daysFrom were expected'] : [],
  ),
  rule(['minDeliveryDays', 'maxDeliveryDays'], ({ minDeliveryDays, maxDeliveryDays }) =>
    minDeliveryDays !== null && maxDeliveryDays !== null && maxDeliveryDays < minDeliveryDays
      ? ['maxDeliveryDays: not fewer days than minDeliveryDays were expected']
      : [],
  ),
  rule(['weightTiers'], ({ weightTiers }) =>
    weightTiers.flatMap(({ minWeightKg, maxWeightKg }, index) =>
      maxWeightKg !== null && maxWeightKg <= minWeightKg
        ? [`weightTiers.${index}.maxWeightKg: more than minWeightKg was expected`]
        : [],
    ),
  ),
];
