import {
  shippingOptionEvents,
  type ShippingOption,
  type ShippingOptionEvent,
} from '#events/shipping.events.ts';
import { entityDecider } from '#kernel/entity.ts';

const { ShippingOptionChanged, ShippingOptionCreated, ShippingOptionDeleted } = shippingOptionEvents.create;

export const shippingOptionDecider = entityDecider<ShippingOption, ShippingOptionEvent>({
  category: 'shippingOption',
  noun: 'shipping option',
  created: (shippingOption, at) => ShippingOptionCreated({ shippingOption, at }),
  changed: (shippingOption, at) => ShippingOptionChanged({ shippingOption, at }),
  deleted: () => ShippingOptionDeleted({}),
  told: ({ type, data }) =>
    type === 'ShippingOptionDeleted' ? null : { fields: data.shippingOption, at: data.at },
});

/** What is wrong with an option as a whole. */
export const shippingOptionProblems = (option: ShippingOption): string[] => {
  const problems: string[] = [];
  if (option.daysTo < option.daysFrom) problems.push('daysTo: not fewer days than daysFrom were expected');
  const { minDeliveryDays, maxDeliveryDays } = option;
  if (minDeliveryDays !== null && maxDeliveryDays !== null && maxDeliveryDays < minDeliveryDays) {
    problems.push('maxDeliveryDays: not fewer days than minDeliveryDays were expected');
  }
  option.weightTiers.forEach(({ minWeightKg, maxWeightKg }, index) => {
    if (maxWeightKg !== null && maxWeightKg <= minWeightKg) {
      problems.push(`weightTiers.${index}.maxWeightKg: more than minWeightKg was expected`);
    }
  });
  return problems;
};
