import {
  add,
  changeLine,
  chooseCountry,
  chooseCurrency,
  initialize,
  manage,
} from '#test/support/requests.ts';
import {
  basketOf,
  buy,
  currencyOf,
  linesOf,
  livingIn,
  nothing,
  shippingOf,
  shopper,
  staff,
  type Body,
} from './steps.ts';
import type { Purchase, PurchaseStep } from './walk.ts';

/*
 * Purchases in other currencies than the store's. What is expected is worked out by hand, from
 * docs/rules/pricing.md#order-of-calculation and docs/rules/currency.md#shown: shown is the store's amount × the rate,
 * rounded once; the tax shown is total − subtotal − shipping.
 *
 *                 dollars              yen, × 149.53           Kuwaiti dinars, × 0.3065
 *   4 mugs        4 × 19.99 = 79.96    11,956.4188 = 11,956    24.50774  = 24.508
 *   wraps         4 × 2.50  = 10.00     1,495.3    =  1,495     3.065    =  3.070
 *   cards         4 × 0.75  =  3.00       448.59   =    449     0.9195   =  0.920
 *   subtotal                  92.96    13,900.3088 = 13,900    28.49224  = 28.490
 *   tax, 10 %     8.00 + 1.00 + 0.30    17,048 − 13,900 − 1,757
 *                             = 9.30                =  1,391
 *   tax, 5 %      4.00 + 0.50 + 0.15                            33.520 − 28.490 − 3.600
 *                             = 4.65                                      =  1.430
 *   East           2 of them   4.50       672.885  =    673     1.37925  =  1.380
 *   West           2 of them   7.25     1,084.0925 =  1,084     2.222125 =  2.220
 *   shipping                  11.75     1,756.9775 =  1,757     3.601375 =  3.600
 *   total, 10 %              114.01    17,047.9153 = 17,048
 *   total, 5 %               109.36                            33.51884  = 33.520
 *
 * New Zealand is served from the East alone: 2 mugs 39.98 × 1.69 = 67.5662 = 67.57, shipping 4.50 × 1.69 = 7.605 =
 * 7.61, tax 15 % 6.00, total 50.48 × 1.69 = 85.3112 = 85.31, tax shown 85.31 − 67.57 − 7.61 = 10.13.
 */
const rates = { JPY: 149.53, KWD: 0.3065, NZD: 1.69 };

const ratesOf = ({ configuration }: Body): string =>
  Object.entries(configuration.rates)
    .map(([code, rate]) => `${code} ${String(rate)}`)
    .join(', ');
const setRates = (changes: Partial<typeof rates> = {}): PurchaseStep => {
  const now = { ...rates, ...changes };
  const body = { configuration: { rates: now } };
  return staff(
    () => manage.put('/exchange-rate-providers/manual/settings', body),
    `JPY ${now.JPY}, KWD ${now.KWD}, NZD ${now.NZD}`,
    ratesOf,
  );
};
const addWithAddOns =
  (quantity: number): PurchaseStep['ask'] =>
  ({ productId, addons }) => {
    const request = add(productId, quantity);
    return { ...request, body: { ...(request.body as object), addons } };
  };
const inYen: Purchase = {
  title: 'yen, with add-ons, from two warehouses; the rate that rises after /pay is not theirs',
  steps: [
    setRates(),
    shopper(() => chooseCurrency({ currencyCode: 'JPY' }), 'JPY', currencyOf),
    shopper(
      addWithAddOns(4),
      'Mug ¥11,956 ($79.96), Wrap: Gold ¥1,495 ($10.00), Card: Signed ¥449 ($3.00)',
      linesOf,
    ),
    shopper(livingIn('JP'), '¥13,900, tax ¥1,391, shipping ¥0, total ¥15,291 ($102.26)', basketOf),
    shopper(
      () => initialize({ countryCode: 'JP' }),
      '2 by East parcel ¥673, 2 by West parcel ¥1,084; ¥13,900, tax ¥1,391, shipping ¥1,757, total ¥17,048 ($114.01)',
      shippingOf,
    ),
    ...buy(
      'East parcel 673, West parcel 1084, subtotal 13900, tax 1391, shipping 1757, total 17048 JPY (114.01 USD), paid 17048, due 0',
      [setRates({ JPY: 160 })],
    ),
  ],
};

const inDinars: Purchase = {
  title: 'Kuwaiti dinars, three decimals of which the last is 0, with add-ons, from two warehouses',
  steps: [
    setRates(),
    shopper(() => chooseCountry({ countryCode: 'KW' }), 'KWD', currencyOf),
    shopper(
      addWithAddOns(4),
      'Mug KWD 24.510 ($79.96), Wrap: Gold KWD 3.070 ($10.00), Card: Signed KWD 0.920 ($3.00)',
      linesOf,
    ),
    // Without shipping: 97.61 × 0.3065 = 29.917465.
    shopper(
      livingIn('KW'),
      'KWD 28.490, tax KWD 1.430, shipping KWD 0.000, total KWD 29.920 ($97.61)',
      basketOf,
    ),
    shopper(
      () => initialize({ countryCode: 'KW' }),
      '2 by East parcel KWD 1.380, 2 by West parcel KWD 2.220; KWD 28.490, tax KWD 1.430, shipping KWD 3.600, total KWD 33.520 ($109.36)',
      shippingOf,
    ),
    ...buy(
      'East parcel 1.38, West parcel 2.22, subtotal 28.49, tax 1.43, shipping 3.6, total 33.52 KWD (109.36 USD), paid 33.52, due 0',
    ),
  ],
};

const toNewZealand: Purchase = {
  title: 'New Zealand, which the East alone serves: three mugs are too many for it, two are not',
  steps: [
    setRates(),
    shopper(() => chooseCountry({ countryCode: 'NZ' }), 'NZD', currencyOf),
    // 59.97 × 1.69 = 101.3493.
    shopper(({ productId }) => add(productId, 3), 'Mug NZ$101.35 ($59.97)', linesOf),
    // 59.97 + 9.00 = 68.97; × 1.69 = 116.5593.
    shopper(livingIn('NZ'), 'NZ$101.35, tax NZ$15.21, shipping NZ$0.00, total NZ$116.56 ($68.97)', basketOf),
    shopper(() => initialize({ countryCode: 'NZ' }), '', nothing, 422),
    shopper(({ lineItemId }) => changeLine({ lineItemId, quantity: 2 }), 'Mug NZ$67.57 ($39.98)', linesOf),
    shopper(
      () => initialize({ countryCode: 'NZ' }),
      '2 by East parcel NZ$7.61; NZ$67.57, tax NZ$10.13, shipping NZ$7.61, total NZ$85.31 ($50.48)',
      shippingOf,
    ),
    ...buy(
      'East parcel 7.61, subtotal 67.57, tax 10.13, shipping 7.61, total 85.31 NZD (50.48 USD), paid 85.31, due 0',
    ),
  ],
};

export const purchases: readonly Purchase[] = [inYen, inDinars, toNewZealand];
