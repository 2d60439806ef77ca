import { expect } from 'chai';
import { priceBasket } from '#command/pricing/price-basket.ts';
import { displayFigures, type DisplayCurrency } from '#values/exchange.ts';
import { formatMoney } from '#values/money.ts';
import { codeOf, offer, percentOff, pricesOf, units } from '#test/support/builders/basket.ts';
import { ruleNamed } from '#test/support/builders/discount.ts';

interface Purchase {
  readonly price: number;
  readonly quantity?: number;
  readonly taxRate?: number;
  readonly percentOff?: number;
  readonly shipping?: number;
  readonly currency?: string;
}

const totalOf = (purchase: Purchase) => {
  const { price, quantity = 1, taxRate = 0, shipping = 0, currency = 'USD' } = purchase;
  const discounts = purchase.percentOff === undefined ? [] : [percentOff('CODE', purchase.percentOff)];
  const prices = pricesOf({ item: offer(price, taxRate) }, discounts, { currency });
  const basket = { lines: [units('item', quantity)], codes: discounts.map(codeOf), shipping };
  const { totals } = priceBasket(basket, prices).pricing;
  return { ...totals, discount: totals.productDiscount, currency };
};

const shown = (purchase: Purchase): string => {
  const { total, currency } = totalOf(purchase);
  return formatMoney(total, currency);
};

/** The same purchase as a shopper sees it in another currency: subtotal, discount, shipping, tax, total. */
const shownIn = (display: DisplayCurrency, purchase: Purchase): string[] => {
  const { currency, ...figures } = totalOf(purchase);
  const { subTotal, discount, shipping, tax, total } = displayFigures(figures, currency, display);
  return [subTotal, discount, shipping, tax, total].map((amount) => formatMoney(amount, display.currency));
};

// Random baskets are in test/properties/pricing.test.ts and test/properties/discounts.
describe('F13 rounding', () => {
  it('24.99 with 10.75 % tax and 6.44 shipping is 34.12', () => {
    expect(shown({ price: 2499, taxRate: 10.75, shipping: 644 })).to.equal('$34.12');
  });

  it('51.86 less 40 % with 8.25 % tax is 33.69', () => {
    expect(shown({ price: 5186, percentOff: 40, taxRate: 8.25 })).to.equal('$33.69');
  });

  it('149.95 less 10 % is 134.95', () => {
    expect(shown({ price: 14_995, percentOff: 10 })).to.equal('$134.95');
  });

  it('3 × ¥333 with 10 % tax is ¥1,099', () => {
    expect(shown({ price: 333, quantity: 3, taxRate: 10, currency: 'JPY' })).to.equal('¥1,099');
  });

  it('KWD 1.255 with 5 % tax is KWD 1.318', () => {
    expect(shown({ price: 1255, taxRate: 5, currency: 'KWD' })).to.equal('KWD\u00a01.318');
  });

  it('149.95 less 10 % of the product, or of the order, is the same 134.95', () => {
    const each = ruleNamed('EACH', { category: 'AmountOffProducts' });
    for (const rule of [each, ruleNamed('ALL')]) {
      const prices = pricesOf({ item: offer(14_995) }, [rule], { currency: 'USD' });
      const { totals } = priceBasket(
        { lines: [units('item', 1)], codes: [codeOf(rule)], shipping: 0 },
        prices,
      ).pricing;
      expect(totals).to.include({ productDiscount: 1500, total: 13_495 });
    }
  });

  it('3 × KWD 1.255 with 5 % tax, 12.5 % off with tax on it, is KWD 3.459, each unit rounded', () => {
    const rule = ruleNamed('EACH', { category: 'AmountOffProducts', value: 12.5, applyAfterTax: true });
    const prices = pricesOf({ item: offer(1255, 5) }, [rule], { currency: 'KWD' });
    const { totals } = priceBasket(
      { lines: [units('item', 3)], codes: [codeOf(rule)], shipping: 0 },
      prices,
    ).pricing;
    // 1.318 with tax, 0.165 off, 0.157 of it before tax.
    expect(totals).to.include({ subTotal: 3765, productDiscount: 471, tax: 165, total: 3459 });
  });

  it('¥333 thrice at 10 % with ¥100 off the order is shared out to the last yen', () => {
    const rule = ruleNamed('ALL', { valueType: 'FixedAmount', value: 100 });
    const skus = ['one', 'two', 'three'];
    const prices = pricesOf(Object.fromEntries(skus.map((sku) => [sku, offer(333, 10)])), [rule], {
      currency: 'JPY',
    });
    const lines = skus.map((sku) => units(sku, 1));
    const { totals, changedLines } = priceBasket(
      { lines, codes: [codeOf(rule)], shipping: 0 },
      prices,
    ).pricing;
    expect(changedLines.map(({ discount }) => discount).sort()).to.deep.equal([33, 33, 34]);
    expect(totals).to.include({ productDiscount: 100, tax: 90, total: 989 });
  });

  describe('in a second currency adds up as it is shown, whatever the decimals of both', () => {
    const purchase = { price: 1999, quantity: 3, taxRate: 8.25, percentOff: 10, shipping: 644 };

    it('dollars in yen: the tax balances what rounding makes of the others', () => {
      const inYen = shownIn({ currency: 'JPY', rate: '149.53' }, purchase);
      expect(inYen).to.deep.equal(['¥8,967', '¥897', '¥963', '¥666', '¥9,699']);
    });

    it('dollars in dinars', () => {
      const inDinars = shownIn({ currency: 'KWD', rate: '0.30715' }, purchase);
      expect(inDinars.map((amount) => amount.slice(4))).to.deep.equal([
        '18.420',
        '1.840',
        '1.980',
        '1.360',
        '19.920',
      ]);
    });

    it('yen in dollars, and dinars in yen', () => {
      const yen = { ...purchase, price: 333, shipping: 500, currency: 'JPY' };
      expect(shownIn({ currency: 'USD', rate: '0.0067' }, yen)).to.deep.equal([
        '$6.69',
        '$0.67',
        '$3.35',
        '$0.50',
        '$9.87',
      ]);
      const dinars = { ...purchase, currency: 'KWD' };
      expect(shownIn({ currency: 'JPY', rate: '486.8312' }, dinars)).to.deep.equal([
        '¥2,920',
        '¥292',
        '¥314',
        '¥216',
        '¥3,158',
      ]);
    });
  });
});
