import { writeInvoice } from '#command/pricing/write-invoice.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { referenceOf, taxGroupNamed } from '#test/support/builders/reference.ts';
import { formatMoney } from '#values/money.ts';
import { table } from './vector.ts';

const { tax } = referenceOf(
  taxGroupNamed('Standard', 20, [
    { countryCode: 'DE', regionCode: null, taxPercentage: 19 },
    { countryCode: 'US', regionCode: 'CA', taxPercentage: 7.25 },
  ]),
  taxGroupNamed('Food', 5),
);

interface Item {
  readonly amount: number;
  readonly quantity: number;
  readonly group: 'Standard' | 'Food' | null;
  readonly isTaxable?: boolean;
  /** What an add-on costs on top. */
  readonly addon?: number;
}

const written = ({ amount, quantity, group, isTaxable, addon }: Item) => ({
  name: 'Lamp',
  sku: 'lamp',
  amount,
  cost: 0,
  quantity,
  taxGroupId: group && idNamed(group),
  ...(isTaxable === undefined ? {} : { isTaxable }),
  isPhysical: true,
  addons:
    addon === undefined
      ? []
      : [{ key: 'Size', value: 'large', priceAdjustment: addon, costAdjustment: 0, skuSuffix: null }],
  leaving: { warehouseId: null, option: null },
});

const figures = (countryCode: string, regionCode: string | null, ...items: readonly Item[]): string => {
  const {
    subTotal,
    tax: taxes,
    total,
  } = writeInvoice(
    {
      placementId: idNamed('order'),
      customerId: idNamed('ada'),
      createdAt: '2026-03-01T09:00:00.000Z',
      businessDay: '2026-03-01',
      currency: 'GBP',
      items: items.map(written),
      products: [],
      to: { countryCode, regionCode, postalCode: null },
      shippingTax: { mode: 'NotTaxed' },
      seller: { id: 'mary', name: 'Mary' },
    },
    tax,
  ).amounts;
  return [subTotal, taxes, total]
    .map((amount) => formatMoney(amount, 'GBP'))
    .join(' + ')
    .replace(/ \+ (?=[^+]*$)/, ' = ');
};

const engraving: Item = { amount: 333, quantity: 3, group: 'Standard' };

export const manualOrders = table(
  'What does a manual order come to?',
  'docs/rules/manual-orders.md#amounts',
  figures,
  [
    ['3 × 3.33 at 20 %, taxed as a line', '£9.99 + £2.00 = £11.99', 'GB', null, engraving],
    ['the same to Berlin, 19 %', '£9.99 + £1.90 = £11.89', 'DE', null, engraving],
    ['the same to Los Angeles, 7.25 %', '£9.99 + £0.72 = £10.71', 'US', 'us-ca', engraving],
    ['the same to New York, the group’s own rate', '£9.99 + £2.00 = £11.99', 'US', 'NY', engraving],
    [
      '3 × 3.33 at 20 % and 1 × 0.50 at 5 %: 2.00 + 0.03',
      '£10.49 + £2.03 = £12.52',
      'GB',
      null,
      engraving,
      { amount: 50, quantity: 1, group: 'Food' },
    ],
    [
      '2 × 10.00 with an add-on of 2.50, 20 %',
      '£25.00 + £5.00 = £30.00',
      'GB',
      null,
      { amount: 1000, quantity: 2, group: 'Standard', addon: 250 },
    ],
    [
      '25.00, taxable without a group',
      '£25.00 + £0.00 = £25.00',
      'GB',
      null,
      { amount: 2500, quantity: 1, group: null, isTaxable: true },
    ],
    [
      '4.00 of a group, not taxable',
      '£4.00 + £0.00 = £4.00',
      'GB',
      null,
      { amount: 400, quantity: 1, group: 'Standard', isTaxable: false },
    ],
    ['nothing', '£0.00 + £0.00 = £0.00', 'GB', null],
  ],
);
