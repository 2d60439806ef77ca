import { shippingTaxOn, type ShippingTaxRule } from '#command/pricing/shipping-tax.ts';
import { formatMoney } from '#values/money.ts';
import { table } from './vector.ts';

const proportional: ShippingTaxRule = { mode: 'Proportional' };

export const shippingTax = table(
  'What is the tax on shipping?',
  'docs/rules/tax.md#shipping',
  (shipping: number, rule: ShippingTaxRule, lineTax: number, taxable: number) =>
    formatMoney(shippingTaxOn(shipping, rule, lineTax, taxable).amount, 'GBP'),
  [
    ['8.00; 50.00 at 20 % and 30.00 at 5 %, in proportion', '£1.15', 800, proportional, 1150, 8000],
    ['8.00; nothing taxed, in proportion', '£0.00', 800, proportional, 0, 0],
    ['8.00; everything at 20 %, in proportion', '£1.60', 800, proportional, 1600, 8000],
    ['8.00 at 20 %', '£1.60', 800, { mode: 'FixedRate', rate: 20 }, 1150, 8000],
    ['5.55 at 7.25 %', '£0.40', 555, { mode: 'FixedRate', rate: 7.25 }, 0, 0],
    ['8.00 at 0 %', '£0.00', 800, { mode: 'FixedRate', rate: 0 }, 1150, 8000],
    ['8.00, not taxed', '£0.00', 800, { mode: 'NotTaxed' }, 1150, 8000],
  ],
);
