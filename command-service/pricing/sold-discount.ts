import type { DiscountRule } from '#entities/discount.entity.ts';
import type { SoldDiscount } from '#events/invoice.fields.ts';
import type { Minor } from '#values/money.ts';
import { valueOff } from './discounts/product-discounts.ts';

/** What a rule took off a line, and what a unit of that cost. */
interface TakenOffLine {
  readonly amount: Minor;
  readonly unit: Minor;
}

const rewarded = ({ buyXGetY }: DiscountRule, { amount, unit }: TakenOffLine): SoldDiscount | undefined => {
  if (buyXGetY === null) return undefined;
  const each = valueOff(buyXGetY.getValueType, buyXGetY.getValue, unit);
  return each > 0 ? { units: Math.ceil(amount / each) } : undefined;
};

const percentage = ({ valueType, value, applyAfterTax }: DiscountRule): SoldDiscount | undefined => {
  if (valueType === 'FixedAmount') return undefined;
  const percent = valueType === 'Free' ? 100 : value;
  return applyAfterTax ? { percent, isAfterTax: true } : { percent };
};

/**
 * What an edit of the invoice needs to know of a rule it was sold with, even if the rule changes: nothing for an
 * amount, or a percentage per unit (docs/rules/invoice-editing.md#discounts).
 */
export const soldAs = (rule: DiscountRule, line?: TakenOffLine): SoldDiscount | undefined => {
  switch (rule.category) {
    case 'AmountOffProducts':
      return undefined;
    case 'BuyXGetY':
      return line && rewarded(rule, line);
    case 'AmountOffOrder':
      return percentage(rule);
    case 'FreeShipping':
      return rule.valueType === 'Percentage' && rule.value > 0 && rule.value < 100
        ? { percent: rule.value }
        : undefined;
  }
};
