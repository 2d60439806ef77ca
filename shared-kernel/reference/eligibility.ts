import type { DiscountRule } from '#entities/discount.entity.ts';
import type { BuyerTraits } from './reference.ts';

/** Whether a rule is for a buyer; one without eligibility rules is for all. */
export const isEligible = (
  { eligibilityRules }: Pick<DiscountRule, 'eligibilityRules'>,
  { customerId, segmentIds }: BuyerTraits,
): boolean =>
  eligibilityRules.length === 0 ||
  eligibilityRules.some(({ eligibilityType, ids }) => {
    switch (eligibilityType) {
      case 'AllCustomers':
        return true;
      case 'CustomerSegments':
        return segmentIds.some((id) => ids.includes(id));
      case 'SpecificCustomers':
        return customerId !== null && ids.includes(customerId);
    }
  });
