import { expect } from 'chai';
import { priceBasket } from '#command/pricing/price-basket.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import { codeOf, offer, percentOff, pricesOf, units } from '#test/support/builders/basket.ts';
import { buyGet, ruleNamed, sociable } from '#test/support/builders/discount.ts';

const totalsWith = (discounts: readonly ReferenceDiscount[], shipping = 0) => {
  const prices = pricesOf({ mug: offer(6000, 20), pen: offer(4000, 5) }, discounts);
  const lines = [units('mug', 1), units('pen', 1)];
  const shippingOptions = shipping === 0 ? [] : ['so:parcel'];
  return priceBasket({ lines, codes: discounts.map(codeOf), shipping, shippingOptions }, prices).pricing
    .totals;
};

describe('F14 a discount above the total', () => {
  it('takes a fixed 500 off a basket of 100 down to nothing, not below', () => {
    const fixed = percentOff('FIXED', 50_000, { valueType: 'FixedAmount' });
    expect(totalsWith([fixed])).to.include({ productDiscount: 10_000, tax: 0, total: 0 });
  });

  it('leaves 16 % of the price after 60 % twice', () => {
    const totals = totalsWith([percentOff('ONE', 60, sociable), percentOff('TWO', 60, sociable)]);
    expect(totals).to.include({ productDiscount: 8400, tax: 224, total: 1824 });
  });

  it('leaves nothing for a second code after everything is free', () => {
    const totals = totalsWith([percentOff('ALL', 100, sociable), percentOff('MORE', 60, sociable)]);
    expect(totals).to.include({ productDiscount: 10_000, total: 0 });
  });

  it('still charges the shipping of a basket that is free', () => {
    expect(totalsWith([percentOff('ALL', 100)], 599)).to.include({ shipping: 599, total: 599 });
  });

  it('takes a fixed 500 off each product down to nothing, after tax too', () => {
    for (const applyAfterTax of [false, true]) {
      const fixed = { valueType: 'FixedAmount', value: 50_000, applyAfterTax } as const;
      const each = ruleNamed('EACH', { category: 'AmountOffProducts', ...fixed });
      expect(totalsWith([each])).to.include({ productDiscount: 10_000, tax: 0, total: 0 });
      expect(totalsWith([ruleNamed('ALL', fixed)])).to.include({ productDiscount: 10_000, tax: 0, total: 0 });
    }
  });

  it('cuts a second rule about a product to what the first has left of it', () => {
    const sixty = { category: 'AmountOffProducts', value: 60, ...sociable } as const;
    const totals = totalsWith([ruleNamed('ONE', sixty), ruleNamed('TWO', sixty)]);
    expect(totals).to.include({ productDiscount: 10_000, tax: 0, total: 0 });
  });

  it('gives a product of an offer and the rest by a code, and asks for nothing', () => {
    const offer = ruleNamed('OFFER', { category: 'BuyXGetY', buyXGetY: buyGet(1, 1), ...sociable });
    expect(totalsWith([offer])).to.include({ productDiscount: 4000, tax: 1200, total: 7200 });
    const rest = ruleNamed('REST', { value: 100, ...sociable });
    expect(totalsWith([offer, rest])).to.include({ productDiscount: 10_000, tax: 0, total: 0 });
  });

  it('takes no more off shipping than it costs, by however many rules', () => {
    const post = { category: 'FreeShipping', value: 0, ...sociable } as const;
    const all = ruleNamed('ALL', { value: 100, ...sociable });
    const totals = totalsWith([ruleNamed('POST', post), ruleNamed('MORE', { ...post, value: 50 }), all], 599);
    expect(totals).to.include({ shipping: 599, shippingDiscount: 599, productDiscount: 10_000, total: 0 });
  });
});
