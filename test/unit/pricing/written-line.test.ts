import { expect } from 'chai';
import { writtenLine, type WrittenItem } from '#command/pricing/custom-item.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { referenceOf, taxGroupNamed } from '#test/support/builders/reference.ts';

const { tax } = referenceOf(
  taxGroupNamed('Standard', 20, [{ countryCode: 'DE', regionCode: null, taxPercentage: 19 }]),
);
const London = { countryCode: 'GB', regionCode: null };

const written = (changes: Partial<WrittenItem> = {}, place = London) => {
  const item: WrittenItem = {
    name: 'Engraving',
    sku: 'engraving',
    amount: 333,
    cost: 100,
    quantity: 3,
    taxGroupId: idNamed('Standard'),
    isPhysical: true,
    addons: [],
    ...changes,
  };
  return writtenLine(idNamed('line'), item, place, tax);
};
const large = { key: 'Size', value: 'large', priceAdjustment: 250, costAdjustment: 50, skuSuffix: 'L' };

describe('a line written by hand (docs/rules/manual-orders.md#lines-written-by-hand)', () => {
  it('is taxed as a whole, at the rate of its group for where it goes', () => {
    expect(written()).to.include({ unitPrice: 333, lineTotal: 999, tax: 200, taxRate: 20, isTaxable: true });
    const toBerlin = written({}, { countryCode: 'DE', regionCode: null });
    expect(toBerlin).to.include({ tax: 190, taxRate: 19 });
  });

  it('is not taxed without a group, or if it is marked as not taxable', () => {
    const untaxed = { tax: 0, taxRate: 0, isTaxable: false };
    expect(written({ taxGroupId: null, isTaxable: true })).to.include(untaxed);
    expect(written({ isTaxable: false })).to.include({ ...untaxed, taxGroupId: idNamed('Standard') });
  });

  it('includes its add-ons in price, cost and SKU, except those without a key or value', () => {
    const line = written({
      sku: 'mug',
      amount: 1000,
      cost: 300,
      quantity: 2,
      addons: [large, { ...large, value: '' }, { ...large, key: '' }],
    });
    expect(line).to.include({
      sku: 'mug-L',
      unitPrice: 1250,
      lineTotal: 2500,
      tax: 500,
      costInStoreCurrency: 350,
    });
    expect(line.selectedOptions).to.deep.equal([{ optionName: 'Size', valueName: 'large' }]);
  });

  it('is of no product and of no basket', () => {
    expect(written({ isPhysical: false })).to.include({
      kind: 'custom',
      productId: null,
      productRootId: null,
      basketLineId: null,
      productRootName: 'Engraving',
      isDigital: true,
    });
  });
});
