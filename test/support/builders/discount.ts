import { discount, type DiscountRule } from '#entities/discount.entity.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import { idNamed } from './basket.ts';

type Config<Name extends 'buyXGetY' | 'freeShipping'> = NonNullable<DiscountRule[Name]>;

const startsAt = '2030-01-01T00:00:00.000Z';

/** As a body makes it that says no more than it must. */
const plain = discount
  .createBody(() => 'GBP')
  .parse({
    name: 'plain',
    category: 'AmountOffOrder',
    method: 'Code',
    valueType: 'Percentage',
    value: 10,
  });

const ruleOf = (name: string, changes: Partial<DiscountRule>): DiscountRule => ({
  ...plain,
  name,
  code: changes.method === 'Automatic' ? null : name,
  startsAt,
  ...changes,
});

/** A rule that is in force: a code of its name, or an automatic discount; 10 % off the order, but for `changes`. */
export const ruleNamed = (name: string, changes: Partial<DiscountRule> = {}): ReferenceDiscount => ({
  id: idNamed(name),
  status: 'Active',
  createdAt: startsAt,
  uses: 0,
  rule: ruleOf(name, changes),
});

/** Goes with any other rule that lets it. */
export const sociable = {
  canCombineWithProductDiscounts: true,
  canCombineWithOrderDiscounts: true,
  canCombineWithShippingDiscounts: true,
} as const;

/** Buy so many, get so many free, of anything, but for `changes`. */
export const buyGet = (
  buyTriggerValue: number,
  getQuantity: number,
  changes: Partial<Config<'buyXGetY'>> = {},
): Config<'buyXGetY'> => ({
  buyTriggerType: 'MinimumQuantity',
  buyTriggerValue,
  buyTargetType: 'AllProducts',
  buyTargetIds: [],
  getQuantity,
  getTargetType: 'AllProducts',
  getTargetIds: [],
  getValueType: 'Free',
  getValue: 0,
  selectionMethod: 'Cheapest',
  ...changes,
});

/** Free shipping everywhere, by every option, whatever it costs, but for `changes`. */
export const freeShipping = (changes: Partial<Config<'freeShipping'>> = {}): Config<'freeShipping'> => ({
  countryScope: 'AllCountries',
  countryCodes: [],
  excludeRatesOverAmount: false,
  excludeRatesOverValue: null,
  allowedShippingOptionIds: [],
  ...changes,
});
