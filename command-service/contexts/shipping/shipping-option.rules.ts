import type { ShippingOption } from '#entities/shipping-option.entity.ts';
import { rulesOn } from '#kernel/entity.ts';
import { carrierOf } from '#values/carriers.ts';

const rule = rulesOn<ShippingOption>();

type PostcodeRule = ShippingOption['postcodeRules'][number];

/** What a rule's pattern should have been; null where it is fine (docs/rules/shipping.md#postal-codes). */
const expectedPattern = ({ matchType, pattern }: PostcodeRule): string | null => {
  const [, area, from, otherArea, to] = rangeOf(matchType, pattern) ?? [];
  switch (matchType) {
    case 'OutcodeRange':
      return area !== undefined && area === otherArea && Number(from) <= Number(to)
        ? null
        : 'must be two outcodes of one area, such as IV21-IV28';
    case 'NumericRange':
      return from !== undefined && Number(from) <= Number(to)
        ? null
        : 'must be two numbers in order, such as 90000-90999';
    case 'Prefix':
    case 'Exact':
      return null;
  }
};

const rangeOf = (matchType: PostcodeRule['matchType'], pattern: string): RegExpExecArray | null => {
  const compact = pattern.toUpperCase().replace(/\s/g, '');
  return matchType === 'OutcodeRange'
    ? /^([A-Z]+)(\d{1,3})[A-Z]?-([A-Z]+)(\d{1,3})[A-Z]?$/.exec(compact)
    : /^()(\d{1,12})-()(\d{1,12})$/.exec(compact);
};

/** What an option must be as a whole. */
export const shippingOptionRules = [
  rule(['daysFrom', 'daysTo'], ({ daysFrom, daysTo }) =>
    daysTo < daysFrom ? ['daysTo: must not be fewer than daysFrom'] : [],
  ),
  rule(['minDeliveryDays', 'maxDeliveryDays'], ({ minDeliveryDays, maxDeliveryDays }) =>
    minDeliveryDays !== null && maxDeliveryDays !== null && maxDeliveryDays < minDeliveryDays
      ? ['maxDeliveryDays: must not be fewer than minDeliveryDays']
      : [],
  ),
  rule(['weightTiers'], ({ weightTiers }) =>
    weightTiers.flatMap(({ minWeightKg, maxWeightKg }, index) =>
      maxWeightKg !== null && maxWeightKg <= minWeightKg
        ? [`weightTiers.${index}.maxWeightKg: must be more than minWeightKg`]
        : [],
    ),
  ),
  rule(['providerKey', 'serviceType'], ({ providerKey, serviceType }) => {
    const codes = carrierOf(providerKey)?.services.map(({ serviceCode }) => serviceCode);
    if (!codes || (serviceType !== null && codes.includes(serviceType))) return [];
    return [`serviceType: must be one of ${codes.join(', ')}`];
  }),
  rule(['postcodeRules'], ({ postcodeRules }) =>
    postcodeRules.flatMap((given, index) => {
      const expected = expectedPattern(given);
      return expected === null ? [] : [`postcodeRules.${index}.pattern: ${expected}`];
    }),
  ),
];
