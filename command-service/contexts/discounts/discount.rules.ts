import { datesInOrder } from '#entities/dated-rule.ts';
import type { Discount } from '#entities/discount.entity.ts';
import { rulesOn } from '#kernel/entity.ts';
import { MAX_AMOUNT } from '#values/money.ts';

const rule = rulesOn<Discount>();

const hasFourDecimals = (value: number): boolean =>
  Math.abs(value * 10_000 - Math.round(value * 10_000)) < 1e-6;

const isAmount = (value: number): boolean => Number.isSafeInteger(value) && value <= MAX_AMOUNT;

/** Rules of these take off what they say elsewhere. */
const needsValue = ({ category, valueType }: Pick<Discount, 'category' | 'valueType'>): boolean =>
  valueType !== 'Free' && (category === 'AmountOffProducts' || category === 'AmountOffOrder');

const percentageProblems = (value: number): readonly string[] => [
  ...(value > 100 ? ['value: must be a percentage above 0 and up to 100'] : []),
  ...(hasFourDecimals(value) ? [] : ['value: must be a percentage with at most 4 decimals']),
];

const valueProblems = (given: Pick<Discount, 'category' | 'valueType' | 'value'>): readonly string[] => {
  const { valueType, value } = given;
  if (value < 0 || (value === 0 && needsValue(given))) {
    if (valueType === 'Percentage') return ['value: must be a percentage above 0 and up to 100'];
    return [`value: must be ${needsValue(given) ? 'more than 0' : '0 or more'}`];
  }
  if (valueType === 'Percentage') return percentageProblems(value);
  return valueType === 'Free' || isAmount(value)
    ? []
    : ['value: must be an amount with the decimals of the store currency'];
};

const requirementProblems = (
  given: Pick<Discount, 'requirementType' | 'requirementValue'>,
): readonly string[] => {
  const { requirementType, requirementValue } = given;
  if (requirementType === 'None') return [];
  if (requirementValue === null) return [`requirementValue: must be given for ${requirementType}`];
  if (isAmount(requirementValue)) return [];
  return requirementType === 'MinimumQuantity'
    ? ['requirementValue: must be a whole number']
    : ['requirementValue: must be an amount with the decimals of the store currency'];
};

/** What a rule must be as a whole (docs/rules/discounts.md#rules). */
export const discountRules = [
  rule(['method', 'code'], ({ method, code }) =>
    method === 'Code' && code === null ? ['code: must be a code'] : [],
  ),
  rule(['category', 'valueType', 'value'], valueProblems),
  datesInOrder,
  rule(['requirementType', 'requirementValue'], requirementProblems),
  rule(['category', 'buyXGetY'], ({ category, buyXGetY }) =>
    category === 'BuyXGetY' && buyXGetY === null ? ['buyXGetY: must say what to buy and what to get'] : [],
  ),
  rule(['category', 'freeShipping'], ({ category, freeShipping }) =>
    category === 'FreeShipping' && freeShipping === null
      ? ['freeShipping: must say where shipping is free']
      : [],
  ),
];
