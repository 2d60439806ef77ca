import { expect } from 'chai';
import { priceBasket } from '#command/pricing/price-basket.ts';
import { displayFigures, type DisplayCurrency } from '#values/exchange.ts';
import { formatMoney } from '#values/money.ts';
import { codeOf, offer, percentOff, pricesOf, units } from '#test/support/builders/basket.ts';

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

// Random baskets are in test/properties/pricing.test.ts.
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
        '1.843',
        '1.978',
        '1.367',
        '19.922',
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
