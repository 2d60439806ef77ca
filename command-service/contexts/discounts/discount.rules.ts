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
  ...(value > 100 ? ['value: a percentage above 0 and up to 100 was expected'] : []),
  ...(hasFourDecimals(value) ? [] : ['value: a percentage with at most 4 decimals was expected']),
];

const valueProblems = (given: Pick<Discount, 'category' | 'valueType' | 'value'>): readonly string[] => {
  const { valueType, value } = given;
  if (value < 0 || (value === 0 && needsValue(given))) {
    if (valueType === 'Percentage') return ['value: a percentage above 0 and up to 100 was expected'];
    return [`value: ${needsValue(given) ? 'more than 0' : '0 or more'} was expected`];
  }
  if (valueType === 'Percentage') return percentageProblems(value);
  return valueType === 'Free' || isAmount(value)
    ? []
    : ['value: an amount with the decimals of the store currency was expected'];
};

const requirementProblems = (
  given: Pick<Discount, 'requirementType' | 'requirementValue'>,
): readonly string[] => {
  const { requirementType, requirementValue } = given;
  if (requirementType === 'None') return [];
  if (requirementValue === null) return [`requirementValue: what ${requirementType} asks for was expected`];
  if (isAmount(requirementValue)) return [];
  return requirementType === 'MinimumQuantity'
    ? ['requirementValue: a whole number was expected']
    : ['requirementValue: an amount with the decimals of the store currency was expected'];
};

/** What a rule must be as a whole (docs/rules/discounts.md#rules). */
export const discountRules = [
  rule(['method', 'code'], ({ method, code }) =>
    method === 'Code' && code === null ? ['code: a code was expected'] : [],
  ),
  rule(['category', 'valueType', 'value'], valueProblems),
  datesInOrder,
  rule(['requirementType', 'requirementValue'], requirementProblems),
  rule(['category', 'buyXGetY'], ({ category, buyXGetY }) =>
    category === 'BuyXGetY' && buyXGetY === null
      ? ['buyXGetY: what to buy and what to get was expected']
      : [],
  ),
  rule(['category', 'freeShipping'], ({ category, freeShipping }) =>
    category === 'FreeShipping' && freeShipping === null
      ? ['freeShipping: where shipping is free was expected']
      : [],
  ),
];
