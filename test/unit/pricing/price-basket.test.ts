import { expect } from 'chai';
import { priceBasket } from '#command/pricing/price-basket.ts';
import { codeOf, idNamed, offer, percentOff, pricesOf, units } from '#test/support/builders/basket.ts';

const figuresOf = (lines: ReturnType<typeof units>[], prices: ReturnType<typeof pricesOf>, shipping = 0) =>
  priceBasket({ lines, codes: [...prices.discounts.values()].map(codeOf), shipping }, prices).pricing;

describe('the price of a basket', () => {
  it('is lines, tax on them, and shipping that is not taxed', () => {
    const { totals } = figuresOf([units('mug', 1)], pricesOf({ mug: offer(2499, 10.75) }), 644);
    expect(totals).to.include({ subTotal: 2499, tax: 269, shipping: 644, total: 3412 });
  });

  it('takes the discount off before the tax', () => {
    const { totals } = figuresOf(
      [units('mug', 1)],
      pricesOf({ mug: offer(5186, 8.25) }, [percentOff('FORTY', 40)]),
    );
    expect(totals).to.include({ productDiscount: 2074, tax: 257, total: 3369 });
  });

  it('rounds half a penny of discount away from zero', () => {
    const { totals } = figuresOf([units('mug', 1)], pricesOf({ mug: offer(14995) }, [percentOff('TEN', 10)]));
    expect(totals).to.include({ productDiscount: 1500, total: 13495 });
  });

  it('has no fractions of a yen and thousandths of a dinar', () => {
    const yen = figuresOf([units('tea', 3)], pricesOf({ tea: offer(333, 10) }, [], { currency: 'JPY' }));
    expect(yen.totals).to.include({ subTotal: 999, tax: 100, total: 1099 });
    const dinar = figuresOf([units('tea', 1)], pricesOf({ tea: offer(1255, 5) }, [], { currency: 'KWD' }));
    expect(dinar.totals).to.include({ subTotal: 1255, tax: 63, total: 1318 });
  });

  it('rounds the tax of each line, not that of the sum', () => {
    const { totals } = figuresOf(
      [units('pen', 1), units('cap', 1), units('pad', 1)],
      pricesOf({ pen: offer(13, 20), cap: offer(13, 20), pad: offer(13, 20) }),
    );
    expect(totals.tax).to.equal(9);
  });

  it('spreads a discount over all lines so that the parts sum exactly', () => {
    const { totals, changedLines } = figuresOf(
      [units('pen', 1), units('cap', 1), units('pad', 1)],
      pricesOf({ pen: offer(333), cap: offer(333), pad: offer(334) }, [percentOff('TEN', 10)]),
    );
    expect(totals.productDiscount).to.equal(100);
    expect(changedLines.map((line) => line.discount)).to.deep.equal([33, 33, 34]);
  });

  it('never asks a line for more than it costs, however codes are stacked', () => {
    const stacked = { canCombineWithOrderDiscounts: true };
    const { changedLines, totals } = figuresOf(
      [units('pen', 1), units('cap', 1), units('pad', 1)],
      pricesOf({ pen: offer(1), cap: offer(1), pad: offer(1) }, [
        percentOff('MOST', 67, { ...stacked, priority: 1 }),
        percentOff('REST', 100, { ...stacked, priority: 2 }),
      ]),
    );
    expect(changedLines.map((line) => line.discount)).to.deep.equal([1, 1, 1]);
    expect(totals.total).to.equal(0);
  });

  it('taxes shipping in proportion to the tax on the lines', () => {
    const prices = pricesOf({ mug: offer(5000, 20), book: offer(3000, 5) }, [], {
      shippingTax: { mode: 'Proportional' },
    });
    const { totals } = figuresOf([units('mug', 1), units('book', 1)], prices, 800);
    expect(totals).to.include({
      shippingTax: 115,
      effectiveShippingTaxRate: 14.375,
      tax: 1265,
      total: 10065,
    });
  });

  it('leaves lines that are not taxed out of that proportion', () => {
    const prices = pricesOf({ mug: offer(5000, 20), stamp: offer(9000) }, [], {
      shippingTax: { mode: 'Proportional' },
    });
    expect(figuresOf([units('mug', 1), units('stamp', 1)], prices, 1000).totals.shippingTax).to.equal(200);
  });

  it('taxes shipping at its own rate, also on a basket of lines that are not taxed', () => {
    const prices = pricesOf({ mug: offer(5000) }, [], { shippingTax: { mode: 'FixedRate', rate: 20 } });
    const { totals } = figuresOf([units('mug', 1)], prices, 999);
    expect(totals).to.include({ shippingTax: 200, effectiveShippingTaxRate: null });
  });

  it('is nothing at all without lines, whatever shipping had been chosen', () => {
    expect(figuresOf([], pricesOf({}), 500).totals).to.include({ shipping: 0, total: 0 });
  });

  it('names only the lines whose figures have moved', () => {
    const prices = pricesOf({ mug: offer(500), pen: offer(100) });
    const lines = [
      { ...units('mug', 2), unitPrice: 500 },
      { ...units('pen', 1), unitPrice: 90 },
    ];
    expect(figuresOf(lines, prices).changedLines.map((line) => line.lineId)).to.deep.equal([
      idNamed('line pen'),
    ]);
  });

  it('keeps the last price of a product that is no longer sold', () => {
    const lines = [{ ...units('relic', 2), unitPrice: 700 }];
    expect(figuresOf(lines, pricesOf({})).totals.subTotal).to.equal(1400);
  });
});
