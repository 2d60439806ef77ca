import { Decimal } from 'decimal.js';
import { quoteOption } from '#command/pricing/quote-shipping.ts';
import type { ShippingOption } from '#entities/shipping-option.entity.ts';
import { formatMoney } from '#values/money.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { costIn, optionNamed, referenceOf, warehouseNamed } from '#test/support/builders/reference.ts';
import { table } from './vector.ts';

type Changes = Partial<ShippingOption>;
type Rule = ShippingOption['postcodeRules'][number];
type Tier = ShippingOption['weightTiers'][number];

/** What an option from one warehouse costs there. */
const cost = (changes: Changes, countryCode: string, postalCode: string | null, weightKg: string): string => {
  const reference = referenceOf(warehouseNamed('east'), optionNamed('parcel', 'east', changes));
  const [option] = reference.shipping.optionsOf(idNamed('east'));
  if (!option) throw new Error('the warehouse has an option');
  const destination = { countryCode, regionCode: null, postalCode };
  const quoted = quoteOption(option, destination, new Decimal(weightKg));
  return quoted ? formatMoney(quoted.cost, 'GBP') : 'not offered';
};

const rule = (pattern: string, matchType: Rule['matchType'], surcharge: number | null = null): Rule => ({
  countryCode: /^\d/.test(pattern) ? 'US' : 'GB',
  pattern,
  matchType,
  action: surcharge === null ? 'Block' : 'Surcharge',
  surcharge: surcharge ?? 0,
});
const postcodes = (...postcodeRules: readonly Rule[]): Changes => ({ postcodeRules: [...postcodeRules] });
const highlands = postcodes(rule('IV', 'Prefix', 400), rule('IV21-IV28', 'OutcodeRange'));

export const postcodeRules = table(
  'What does a parcel of 5.00 cost at this postcode?',
  'docs/rules/shipping.md#cost',
  (changes: Changes, countryCode: string, postalCode: string) => cost(changes, countryCode, postalCode, '0'),
  [
    ['IV + 4.00; iv1 1aa', '£9.00', highlands, 'GB', 'iv1 1aa'],
    ['IV + 4.00, IV21 to IV28 not; IV27 4ZZ', 'not offered', highlands, 'GB', 'IV27 4ZZ'],
    ['IV + 4.00, IV21 to IV28 not; EH1 1AA', '£5.00', highlands, 'GB', 'EH1 1AA'],
    ['IV + 4.00; none known yet', '£5.00', highlands, 'GB', ''],
    [
      'GY prefix not, GY1 1AA + 2.00; GY1 1AA',
      '£7.00',
      postcodes(rule('GY', 'Prefix'), rule('GY1 1AA', 'Exact', 200)),
      'GB',
      'GY1-1AA',
    ],
    [
      'the same prefix not and + 2.00; BT1 1AA',
      'not offered',
      postcodes(rule('BT', 'Prefix', 200), rule('BT', 'Prefix')),
      'GB',
      'BT1 1AA',
    ],
    [
      '96700 to 96899 + 9.00; 96801-1234',
      '£14.00',
      postcodes(rule('96700-96899', 'NumericRange', 900)),
      'US',
      '96801-1234',
    ],
    [
      '96700 to 96899 + 9.00; 96900',
      '£5.00',
      postcodes(rule('96700-96899', 'NumericRange', 900)),
      'US',
      '96900',
    ],
  ],
);

const tier = (countryCode: string, from: number, to: number | null, surcharge: number): Tier => ({
  countryCode,
  regionCode: null,
  minWeightKg: from,
  maxWeightKg: to,
  surcharge,
});
const tiers: Changes = {
  weightTiers: [
    tier('*', 2, 5, 300),
    tier('*', 5, null, 800),
    tier('GB', 2, 10, 100),
    tier('GB', 2, 10, 700),
  ],
};

export const weightTiers = table(
  'What does a parcel of 5.00 cost at this weight?',
  'docs/rules/shipping.md#cost',
  (countryCode: string, weightKg: string) => cost(tiers, countryCode, null, weightKg),
  [
    ['everywhere 2 to 5 kg + 3.00; DE, 1.999 kg', '£5.00', 'DE', '1.999'],
    ['everywhere 2 to 5 kg + 3.00; DE, 2 kg', '£8.00', 'DE', '2'],
    ['from 5 kg + 8.00; DE, 5 kg', '£13.00', 'DE', '5'],
    ['GB 2 to 10 kg + 1.00, twice: the first; GB, 4 kg', '£6.00', 'GB', '4'],
    ['above the tier of GB, everywhere + 8.00; GB, 10 kg', '£13.00', 'GB', '10'],
    ['no weight known; GB, 0 kg', '£5.00', 'GB', '0'],
  ],
);

const rows: Changes = { fixedCost: null, costs: [costIn('*', 2000), costIn('GB', 300), costIn('US', 900)] };

export const baseCosts = table(
  'What does an option cost in this country?',
  'docs/rules/shipping.md#cost',
  (changes: Changes, countryCode: string) => cost(changes, countryCode, null, '0'),
  [
    ['GB 3.00, US 9.00, else 20.00; GB', '£3.00', rows, 'GB'],
    ['GB 3.00, US 9.00, else 20.00; JP', '£20.00', rows, 'JP'],
    ['GB 3.00 only; JP', 'not offered', { fixedCost: null, costs: [costIn('GB', 300)] }, 'JP'],
    ['GB 3.00, fixed 7.00; JP', '£7.00', { fixedCost: 700, costs: [costIn('GB', 300)] }, 'JP'],
    ['nothing said; JP', '£0.00', { fixedCost: null, costs: [] }, 'JP'],
  ],
);
