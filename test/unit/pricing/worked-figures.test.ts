import { expect } from 'chai';
import { priceBasket } from '#command/pricing/price-basket.ts';
import { codeOf, offer, percentOff, pricesOf, units } from '#test/support/builders/basket.ts';
import { withPercent } from '#values/money.ts';

/** The examples of docs/rules, calculated: what the pages say is what a shopper pays. */
const pricingOf = (lines: ReturnType<typeof units>[], prices: ReturnType<typeof pricesOf>, shipping = 0) =>
  priceBasket({ lines, codes: [...prices.discounts.values()].map(codeOf), shipping }, prices).pricing;

describe('the worked figures of the rules', () => {
  it('of a whole basket (docs/rules/pricing.md#order-of-calculation)', () => {
    const { totals, changedLines } = pricingOf(
      [units('mug', 2), units('tea', 3)],
      pricesOf({ mug: offer(1250, 20), tea: offer(500, 5) }, [percentOff('TEN', 10)], {
        shippingTax: { mode: 'Proportional' },
      }),
      450,
    );
    expect(changedLines.map(({ discount, tax }) => [discount, tax])).to.deep.equal([
      [250, 450],
      [150, 68],
    ]);
    expect(totals).to.include({
      subTotal: 4000,
      productDiscount: 400,
      shippingTax: 65,
      tax: 583,
      total: 4633,
    });
  });

  it('of a share of 3.33 beside one of 3.34 (docs/rules/discount-amounts.md#share-of-a-line)', () => {
    const { totals, changedLines } = pricingOf(
      [units('pen', 1), units('cap', 1), units('pad', 1)],
      pricesOf({ pen: offer(3333), cap: offer(3333), pad: offer(3333) }, [percentOff('TEN', 10)]),
    );
    expect(totals.productDiscount).to.equal(1000);
    expect(changedLines.map(({ discount }) => discount)).to.deep.equal([334, 333, 333]);
  });

  it('of two codes, one after the other (docs/rules/discount-amounts.md#order)', () => {
    const together = { canCombineWithOrderDiscounts: true };
    const { discounts } = pricingOf(
      [units('mug', 1)],
      pricesOf({ mug: offer(10_000) }, [
        percentOff('TEN', 10, { ...together, priority: 10 }),
        percentOff('FIVE', 5, { ...together, priority: 20 }),
      ]),
    );
    expect(discounts.map(({ amount }) => amount)).to.deep.equal([1000, 450]);
  });

  it('of shipping taxed in proportion (docs/rules/tax.md#shipping)', () => {
    const { totals } = pricingOf(
      [units('mug', 1), units('tea', 1)],
      pricesOf({ mug: offer(5000, 20), tea: offer(3000, 5) }, [], { shippingTax: { mode: 'Proportional' } }),
      800,
    );
    expect(totals).to.include({ shippingTax: 115, effectiveShippingTaxRate: 14.375 });
  });

  it('of tax rounded for each line (docs/rules/pricing.md#rounding)', () => {
    const { totals } = pricingOf(
      [units('pen', 1), units('cap', 1), units('pad', 1)],
      pricesOf({ pen: offer(10, 5), cap: offer(10, 5), pad: offer(10, 5) }),
    );
    expect(totals.tax).to.equal(3);
  });

  it('of a line that is shown with tax (docs/rules/tax.md#prices-with-tax)', () => {
    expect([withPercent(3 * 333, 20), withPercent(333, 20)]).to.deep.equal([1199, 400]);
  });
});
