import { priceBasket } from '#command/pricing/price-basket.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import { formatMoney } from '#values/money.ts';
import { codeOf, idNamed, offer, pricesOf, units } from '#test/support/builders/basket.ts';
import { buyGet, freeShipping, ruleNamed, sociable } from '#test/support/builders/discount.ts';
import { table } from './vector.ts';

type Line = readonly [sku: string, quantity: number, unit: number, taxRate?: number];

/** What a basket of these lines comes to with codes for these rules. */
const priced = (
  lines: readonly Line[],
  rules: readonly ReferenceDiscount[],
  { shipping = 0, currency = 'GBP' } = {},
) => {
  const offers = Object.fromEntries(lines.map(([sku, , unit, taxRate]) => [sku, offer(unit, taxRate)]));
  const basket = {
    lines: lines.map(([sku, quantity]) => units(sku, quantity)),
    codes: rules.map(codeOf),
    shipping,
    shippingOptions: shipping === 0 ? [] : ['so:standard'],
  };
  return priceBasket(basket, pricesOf(offers, rules, { currency })).pricing;
};

const money = (amount: number, currency = 'GBP'): string => formatMoney(amount, currency);

const buy = (config: ReturnType<typeof buyGet>, perOrderUsageLimit: number | null = null) =>
  ruleNamed('OFFER', {
    category: 'BuyXGetY',
    valueType: 'Free',
    value: 0,
    buyXGetY: config,
    perOrderUsageLimit,
    ...sociable,
  });
const only = (sku: string) => ({ getTargetType: 'SpecificProducts' as const, getTargetIds: [idNamed(sku)] });
const bought = (sku: string) => ({
  buyTargetType: 'SpecificProducts' as const,
  buyTargetIds: [idNamed(sku)],
});
/** Two products, the one whose id comes first in front. */
const [first, second] = ['A', 'B'].sort((one, other) => (idNamed(one) < idNamed(other) ? -1 : 1)) as [
  string,
  string,
];

export const buyXGetY = table(
  'What does an offer take off?',
  'docs/rules/discount-amounts.md#buy-x-get-y',
  (lines: readonly Line[], rule: ReferenceDiscount) => money(priced(lines, [rule]).totals.productDiscount),
  [
    ['3 × 10.00; buy 2 get 1 free', '£10.00', [['A', 3, 1000]], buy(buyGet(2, 1))],
    ['6 × 10.00; buy 2 get 1 free', '£20.00', [['A', 6, 1000]], buy(buyGet(2, 1))],
    ['2 × 10.00; buy 3 get 1 free', '£0.00', [['A', 2, 1000]], buy(buyGet(3, 1))],
    [
      '2 × 20.00, 2 × 15.00; buy 3 get 1 free, the cheapest',
      '£15.00',
      [
        ['A', 2, 2000],
        ['B', 2, 1500],
      ],
      buy(buyGet(3, 1)),
    ],
    [
      '2 × 20.00, 1 × 0.00; buy 2 get 1 free, the cheapest',
      '£20.00',
      [
        ['A', 2, 2000],
        ['B', 1, 0],
      ],
      buy(buyGet(2, 1)),
    ],
    ['6 × 10.00; buy 1 get 1 free, twice an order', '£20.00', [['A', 6, 1000]], buy(buyGet(1, 1), 2)],
    [
      '3 × 25.00; buy 2 get 50.00 off 1',
      '£25.00',
      [['A', 3, 2500]],
      buy(buyGet(2, 1, { getValueType: 'FixedAmount', getValue: 5000 })),
    ],
    ['2 × 10.00; buy 1 get 5 free', '£10.00', [['A', 2, 1000]], buy(buyGet(1, 5))],
    [
      '4 × 50.00; spend 100.00 get 1 free',
      '£100.00',
      [['A', 4, 5000]],
      buy(buyGet(10_000, 1, { buyTriggerType: 'MinimumPurchaseAmount' })),
    ],
    [
      '6 × 10.00 A, 1 × 1.00 G; buy 2 A get 1 free of any',
      '£11.00',
      [
        ['A', 6, 1000],
        ['G', 1, 100],
      ],
      buy(buyGet(2, 1, bought('A'))),
    ],
    [
      '1 × 10.00 A, 2 × 5.00 C; buy any 2 get an A free',
      '£10.00',
      [
        ['A', 1, 1000],
        ['C', 2, 500],
      ],
      buy(buyGet(2, 1, only('A'))),
    ],
  ],
);

const off = (value: number, changes: Parameters<typeof ruleNamed>[1] = {}, name = 'OFF') =>
  ruleNamed(name, { value, ...sociable, ...changes });
const fixed = (value: number, changes: Parameters<typeof ruleNamed>[1] = {}, name = 'FIXED') =>
  off(value, { valueType: 'FixedAmount', ...changes }, name);
const products = { category: 'AmountOffProducts' } as const;
const afterTax = { applyAfterTax: true } as const;
const shippingFree = (changes: Parameters<typeof ruleNamed>[1] = {}, name = 'POST') =>
  off(0, { category: 'FreeShipping', valueType: 'Free', freeShipping: freeShipping(), ...changes }, name);

const hundred: readonly Line[] = [['A', 1, 10_000, 20]];
const figures = (
  lines: readonly Line[],
  rules: readonly ReferenceDiscount[],
  more?: Parameters<typeof priced>[2],
): string => {
  const { totals } = priced(lines, rules, more);
  const { productDiscount, shippingDiscount, tax, total } = totals;
  return [productDiscount + shippingDiscount, tax, total]
    .map((amount) => money(amount, more?.currency))
    .join(' ');
};

export const discountFigures = table(
  'What are discount, tax and total?',
  'docs/rules/discount-amounts.md',
  figures,
  [
    ['100.00 at 20 %; 10 % off products', '£10.00 £18.00 £108.00', hundred, [off(10, products)]],
    ['3 × 9.99; 15 % off products', '£4.50 £0.00 £25.47', [['A', 3, 999]], [off(15, products)]],
    ['3 × 4.00; 5.00 off a product', '£12.00 £0.00 £0.00', [['A', 3, 400]], [fixed(500, products)]],
    [
      '2 × 4.00; free products',
      '£8.00 £0.00 £0.00',
      [['A', 2, 400]],
      [off(0, { ...products, valueType: 'Free' })],
    ],
    ['100.00 at 20 %; 10 % off the order after tax', '£10.00 £18.00 £108.00', hundred, [off(10, afterTax)]],
    [
      '100.00 at 20 %; 12.00 off the order after tax',
      '£10.00 £18.00 £108.00',
      hundred,
      [fixed(1200, afterTax)],
    ],
    [
      '100.00 at 20 %; 10 % off products after tax',
      '£10.00 £18.00 £108.00',
      hundred,
      [off(10, { ...products, ...afterTax })],
    ],
    [
      '100.00 at 20 %; 12.00 off a product after tax',
      '£10.00 £18.00 £108.00',
      hundred,
      [fixed(1200, { ...products, ...afterTax })],
    ],
    [
      '100.00 at 20 %; 50 %, then 50 % after tax',
      '£75.00 £5.00 £30.00',
      hundred,
      [off(50, { priority: 1 }), off(50, afterTax, 'LATER')],
    ],
    [
      '100.00; 10 % off products, then 10 % off the order, whatever their ranks',
      '£19.00 £0.00 £81.00',
      [['A', 1, 10_000]],
      [off(10, { priority: 1 }), off(10, products, 'LATER')],
    ],
    [
      '100.00; 10 % and 20 % off products: both off the price',
      '£30.00 £0.00 £70.00',
      [['A', 1, 10_000]],
      [off(10, products), off(20, products, 'LATER')],
    ],
    [
      '40.00 at 20 %, shipping 5.00; free shipping',
      '£5.00 £8.00 £48.00',
      [['A', 1, 4000, 20]],
      [shippingFree()],
      { shipping: 500 },
    ],
    [
      '40.00, shipping 5.00; half of the shipping, then all of it',
      '£5.00 £0.00 £40.00',
      [['A', 1, 4000]],
      [shippingFree({ valueType: 'Percentage', value: 50, priority: 1 }), shippingFree({}, 'REST')],
      { shipping: 500 },
    ],
    ['100.00; fixed 500.00', '£100.00 £0.00 £0.00', [['A', 1, 10_000]], [fixed(50_000)]],
    ['100.00; 60 % twice', '£84.00 £0.00 £16.00', [['A', 1, 10_000]], [off(60), off(60, {}, 'MORE')]],
    [
      '25.00; spend 0.01 get 1 free, then 60 % off the order',
      '£25.00 £0.00 £0.00',
      [['A', 1, 2500, 20]],
      [buy(buyGet(1, 1, { buyTriggerType: 'MinimumPurchaseAmount' })), off(60)],
    ],
  ],
);

export const rounding = table('How is it rounded?', 'docs/rules/pricing.md#rounding', figures, [
  [
    '24.99 at 10.75 %, shipping 6.44',
    '$0.00 $2.69 $34.12',
    [['A', 1, 2499, 10.75]],
    [],
    { shipping: 644, currency: 'USD' },
  ],
  [
    '51.86 less 40 % at 8.25 %',
    '$20.74 $2.57 $33.69',
    [['A', 1, 5186, 8.25]],
    [off(40)],
    { currency: 'USD' },
  ],
  ['149.95 less 10 %', '$15.00 $0.00 $134.95', [['A', 1, 14_995]], [off(10)], { currency: 'USD' }],
  ['3 × ¥333 less 10 % at 10 %', '¥100 ¥90 ¥989', [['A', 3, 333, 10]], [off(10)], { currency: 'JPY' }],
  [
    'KWD 1.255 less 10 % at 5 %',
    'KWD\u00a00.126 KWD\u00a00.056 KWD\u00a01.185',
    [['A', 1, 1255, 5]],
    [off(10)],
    { currency: 'KWD' },
  ],
  [
    '0.25 at 10 % and 0.25 untaxed, 0.01 off: of equals the first by product id bears it',
    '£0.01 £0.02 £0.51',
    [
      [second, 1, 25],
      [first, 1, 25, 10],
    ],
    [fixed(1)],
  ],
  [
    '0.25 untaxed and 0.25 at 10 %, 0.01 off',
    '£0.01 £0.03 £0.52',
    [
      [second, 1, 25, 10],
      [first, 1, 25],
    ],
    [fixed(1)],
  ],
]);
