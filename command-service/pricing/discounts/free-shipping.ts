import type { DiscountRule } from '#entities/discount.entity.ts';
import { percentOf, type Minor } from '#values/money.ts';
import type { DiscountSituation } from './situation.ts';

type Config = NonNullable<DiscountRule['freeShipping']>;

const goesThere = ({ countryScope, countryCodes }: Config, countryCode: string): boolean => {
  const isListed = countryCodes.some((code) => code.toUpperCase() === countryCode.toUpperCase());
  switch (countryScope) {
    case 'AllCountries':
      return true;
    case 'SelectedCountries':
      return isListed;
    case 'ExcludedCountries':
      return !isListed;
  }
};

/** A carrier's service is on no list. */
const isAllowed = ({ allowedShippingOptionIds: ids }: Config, optionKeys: readonly string[]): boolean =>
  ids.length === 0 || optionKeys.every((key) => key.startsWith('so:') && ids.includes(key.slice(3)));

/** Whether anything has been chosen of which shipping could be free. */
export const isShippingChosen = ({ shippingOptions }: DiscountSituation): boolean =>
  shippingOptions.length > 0;

/** Whether a rule is about the shipping that has been chosen (docs/rules/discount-amounts.md#free-shipping). */
const isAbout = (config: Config, { countryCode, shipping, shippingOptions }: DiscountSituation): boolean =>
  goesThere(config, countryCode) &&
  isAllowed(config, shippingOptions) &&
  !(config.excludeRatesOverAmount && shipping > (config.excludeRatesOverValue ?? 0));

/** What a rule takes off what others have left of the shipping. */
export const shippingAmount = (rule: DiscountRule, left: Minor, situation: DiscountSituation): Minor => {
  const { freeShipping, valueType, value } = rule;
  if (!isShippingChosen(situation)) return 0;
  if (freeShipping !== null && !isAbout(freeShipping, situation)) return 0;
  return valueType === 'Percentage' && value > 0 && value < 100 ? percentOf(left, value) : left;
};
