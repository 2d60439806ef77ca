import { expect } from 'chai';
import { priceBasket } from '#command/pricing/price-basket.ts';
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

const shown = (purchase: Purchase): string => {
  const { price, quantity = 1, taxRate = 0, shipping = 0, currency = 'USD' } = purchase;
  const discounts = purchase.percentOff === undefined ? [] : [percentOff('CODE', purchase.percentOff)];
  const prices = pricesOf({ item: offer(price, taxRate) }, discounts, { currency });
  const basket = { lines: [units('item', quantity)], codes: discounts.map(codeOf), shipping };
  return formatMoney(priceBasket(basket, prices).pricing.totals.total, currency);
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
});
