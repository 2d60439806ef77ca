import type { DiscountRule } from '#entities/discount.entity.ts';
import type { BuyerTraits } from './reference.ts';

/** Whether a buyer is one of those for whom a rule is; a rule that says nothing of it is for everybody. */
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
