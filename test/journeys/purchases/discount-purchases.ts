import {
  add,
  applyCode,
  changeLine,
  chooseCurrency,
  get,
  initialize,
  manage,
} from '#test/support/requests.ts';
import { merchantId } from '#test/support/referrals.ts';
import { buy, currencyOf, livingIn, plain, shopper, type Body } from './steps.ts';
import type { Purchase, PurchaseStep } from './walk.ts';

/*
 * Purchases with discounts, in the store's dollars. Worked out by hand from docs/rules/discount-amounts.md. "Four or
 * more" takes 10 % off each mug: 19.99 × 10 % = 1.999 = 2.00. WELCOME takes 5.00 off what is left of the order. Japan
 * taxes goods at 10 %, shipping is not taxed.
 *
 *                                       3 mugs            4 mugs            4 mugs, WELCOME   3 mugs, WELCOME
 *   subtotal                            59.97             79.96             79.96             59.97
 *   Four or more                            -              8.00              8.00                 -
 *   WELCOME                                 -                 -              5.00              5.00
 *   tax, 10 % of what is left           6.00 (59.97)       7.20 (71.96)      6.70 (66.96)      5.50 (54.97)
 *   East parcel, 4.50                       -              4.50              4.50                 -
 *   West parcel, 7.25                       -              7.25              7.25              7.25
 *   total                               65.97             90.91             85.41             67.72
 *
 * Three mugs travel from the West together, four from both. A fourth one that comes back needs its parcel chosen again:
 * until then it is 80.91.
 *
 * The link promises 20 %: 19.99 × 20 % = 3.998 = 4.00 a mug. Two: 39.98 − 8.00 = 31.98, three: 59.97 − 12.00 = 47.97.
 * The West sends three to the United States for 7.25, untaxed: 55.22.
 */

const nameOf = ({ name }: Body): string => name;
const discountedOf = (body: Body): string => {
  const { appliedDiscounts, formattedSubTotal, formattedTax, formattedShipping, formattedTotal } =
    body.basket;
  const off = appliedDiscounts.map(({ name, formattedAmount }: Body) => `${name} ${formattedAmount}`);
  const parts = [formattedSubTotal, ...off, `tax ${formattedTax}`, `shipping ${formattedShipping}`];
  return plain([...parts, `total ${formattedTotal}`, ...(body.warnings ?? [])].join(', '));
};
const made = (ask: PurchaseStep['ask'], money: string): PurchaseStep => ({
  by: 'staff',
  ask,
  status: 201,
  read: nameOf,
  money,
});
const together = {
  canCombineWithProductDiscounts: true,
  canCombineWithOrderDiscounts: true,
  canCombineWithShippingDiscounts: true,
};
const dollarsPlease = shopper(() => chooseCurrency({ currencyCode: 'USD' }), 'USD', currencyOf);
const quantity =
  (count: number): PurchaseStep['ask'] =>
  ({ lineItemId }) =>
    changeLine({ lineItemId, quantity: count });

const codeAndAutomatic: Purchase = {
  title: 'a guest, two warehouses, a code, and an automatic discount that comes and goes',
  steps: [
    made(
      ({ productId }) =>
        manage.post('/discounts', {
          name: 'Four or more',
          category: 'AmountOffProducts',
          method: 'Automatic',
          valueType: 'Percentage',
          value: 10,
          minimumQuantity: 4,
          targetRules: [{ targetType: 'SpecificProducts', targetIds: [productId], isExclusion: false }],
          ...together,
        }),
      'Four or more',
    ),
    made(
      () =>
        manage.post('/discounts', {
          name: 'WELCOME',
          code: 'WELCOME',
          category: 'AmountOffOrder',
          method: 'Code',
          valueType: 'FixedAmount',
          value: 5,
          ...together,
        }),
      'WELCOME',
    ),
    dollarsPlease,
    shopper(
      ({ productId }) => add(productId, 3),
      '$59.97, tax $0.00, shipping $0.00, total $59.97',
      discountedOf,
    ),
    shopper(livingIn('JP'), '$59.97, tax $6.00, shipping $0.00, total $65.97', discountedOf),
    shopper(quantity(4), '$79.96, Four or more $8.00, tax $7.20, shipping $0.00, total $79.16', discountedOf),
    shopper(
      () => initialize({ countryCode: 'JP' }),
      '$79.96, Four or more $8.00, tax $7.20, shipping $11.75, total $90.91',
      discountedOf,
    ),
    shopper(
      () => applyCode('WELCOME'),
      '$79.96, Four or more $8.00, WELCOME $5.00, tax $6.70, shipping $11.75, total $85.41',
      discountedOf,
    ),
    shopper(
      quantity(3),
      '$59.97, WELCOME $5.00, tax $5.50, shipping $7.25, total $67.72, Four or more needs at least 4 items.',
      discountedOf,
    ),
    shopper(
      quantity(4),
      '$79.96, Four or more $8.00, WELCOME $5.00, tax $6.70, shipping $7.25, total $80.91',
      discountedOf,
    ),
    shopper(
      () => initialize({ countryCode: 'JP' }),
      '$79.96, Four or more $8.00, WELCOME $5.00, tax $6.70, shipping $11.75, total $85.41',
      discountedOf,
    ),
    ...buy(
      'East parcel 4.5, West parcel 7.25, subtotal 79.96, tax 6.7, shipping 11.75, total 85.41 USD (85.41 USD), paid 85.41, due 0',
    ),
  ],
};

const settings =
  (referralDiscount: object | null): PurchaseStep['ask'] =>
  () =>
    manage.put('/settings', { referralDiscount });

const byLink: Purchase = {
  title: 'a shopper whom an advertiser has sent, with a fifth off one product',
  steps: [
    {
      by: 'staff',
      ask: ({ advertiser: { keyUrl } }) =>
        manage.put('/settings', { referralDiscount: { keyUrl, merchantIds: [merchantId] } }),
      status: 200,
      read: () => '',
      money: '',
    },
    shopper(
      async ({ advertiser, productId }) =>
        get(`/api/shop/storefront/basket/count?pv2=${await advertiser.token(productId)}`),
      '',
      () => '',
      302,
    ),
    dollarsPlease,
    shopper(
      ({ productId }) => add(productId, 2),
      '$39.98, FLYER $8.00, tax $0.00, shipping $0.00, total $31.98',
      discountedOf,
    ),
    shopper(
      ({ productId }) => add(productId),
      '$59.97, FLYER $12.00, tax $0.00, shipping $0.00, total $47.97',
      discountedOf,
    ),
    shopper(livingIn('US'), '$59.97, FLYER $12.00, tax $0.00, shipping $0.00, total $47.97', discountedOf),
    shopper(
      () => initialize({ countryCode: 'US' }),
      '$59.97, FLYER $12.00, tax $0.00, shipping $7.25, total $55.22',
      discountedOf,
    ),
    ...buy(
      'West parcel 7.25, subtotal 59.97, tax 0, shipping 7.25, total 55.22 USD (55.22 USD), paid 55.22, due 0',
    ),
    { by: 'staff', ask: settings(null), status: 200, read: () => '', money: '' },
  ],
};

export const discountPurchases: readonly Purchase[] = [codeAndAutomatic, byLink];
