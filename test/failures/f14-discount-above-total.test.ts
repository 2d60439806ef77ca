import { expect } from 'chai';
import { priceBasket } from '#command/pricing/price-basket.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import { codeOf, offer, percentOff, pricesOf, units } from '#test/support/builders/basket.ts';

const totalsWith = (discounts: readonly ReferenceDiscount[], shipping = 0) => {
  const prices = pricesOf({ mug: offer(6000, 20), pen: offer(4000, 5) }, discounts);
  const lines = [units('mug', 1), units('pen', 1)];
  return priceBasket({ lines, codes: discounts.map(codeOf), shipping }, prices).pricing.totals;
};

const sociable = { canCombineWithOrderDiscounts: true };

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
});
