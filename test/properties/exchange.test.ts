import fc from 'fast-check';
import { expect } from 'chai';
import { decimalsOf } from '#values/currency.ts';
import {
  crossRate,
  displayAmount,
  displayFigures,
  invoiceAmount,
  pricingCurrency,
} from '#values/exchange.ts';
import { MAX_AMOUNT, withRest } from '#values/money.ts';

/** Currencies of 0, 2 and 3 decimals. */
const currency = fc.constantFrom('JPY', 'USD', 'KWD');
const amount = fc.oneof(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 0, max: MAX_AMOUNT }));
/** As providers give them: at most six decimals. */
const rate = fc
  .tuple(fc.integer({ min: 1, max: 999_999_999 }), fc.integer({ min: 0, max: 6 }))
  .map(([digits, decimals]) =>
    (digits / 10 ** decimals)
      .toFixed(decimals)
      .replace(/(\.\d*?)0+$/, '$1')
      .replace(/\.$/, ''),
  );
const exact = fc.integer({ min: 0, max: 1_000_000_000 });

const sum = (amounts: readonly number[]): number => amounts.reduce((all, one) => all + one, 0);

describe('exchange', () => {
  it('prices an invoice at what was shown, whatever the decimals of both currencies', () => {
    fc.assert(
      fc.property(amount, rate, currency, currency, (cost, quoted, store, shown) => {
        if (store === shown) return;
        const display = { currency: shown, rate: quoted };
        const seen = displayAmount(cost, store, display);
        if (seen > MAX_AMOUNT) return;
        expect(invoiceAmount(cost, store, pricingCurrency(display))).to.equal(seen);
      }),
      { numRuns: 2000 },
    );
  });

  it('tips no scale because a rate has been cut after 20 digits: 0.10 at 0.15 is 0.02 either way', () => {
    const display = { currency: 'EUR', rate: '0.15' };
    expect(displayAmount(10, 'USD', display)).to.equal(2);
    expect(pricingCurrency(display).rate).to.equal('6.6666666666666666667');
    expect(invoiceAmount(10, 'USD', pricingCurrency(display))).to.equal(2);
  });

  it('comes back within half a unit of the coarser currency', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000_000 }), currency, currency, (cost, store, shown) => {
        const rates = { baseCurrency: store, rates: { [shown]: '7.25' } };
        if (store === shown) return;
        const display = { currency: shown, rate: crossRate(rates, store, shown) ?? '' };
        const back = { currency: store, rate: crossRate(rates, shown, store) ?? '' };
        const there = displayAmount(cost, store, display);
        const unit = 10 ** Math.max(0, decimalsOf(store) - decimalsOf(shown));
        expect(Math.abs(displayAmount(there, shown, back) - cost)).to.be.at.most(Math.ceil(unit / 7.25) + 1);
      }),
    );
  });

  it('quotes two other currencies by the quotient of their rates, and nothing without one', () => {
    const rates = { baseCurrency: 'USD', rates: { EUR: '0.8', JPY: '150' } };
    expect(crossRate(rates, 'EUR', 'JPY')).to.equal('187.5');
    expect(crossRate(rates, 'JPY', 'USD')).to.equal('0.0066666666666666666667');
    expect(crossRate(rates, 'USD', 'EUR')).to.equal('0.8');
    expect(crossRate(rates, 'CHF', 'CHF')).to.equal('1');
    expect(crossRate(rates, 'USD', 'CHF')).to.equal(null);
    expect(crossRate(rates, 'CHF', 'EUR')).to.equal(null);
  });

  it('shows figures that add up, unless tax would have to be less than nothing', () => {
    fc.assert(
      fc.property(exact, exact, exact, exact, rate, (subTotal, off, shipping, tax, quoted) => {
        const discount = Math.min(off, subTotal + shipping);
        const total = subTotal - discount + shipping + tax;
        const figures = { subTotal, discount, shipping, tax, total };
        const shown = displayFigures(figures, 'USD', { currency: 'JPY', rate: quoted });
        const rest = shown.total - shown.subTotal + shown.discount - shown.shipping;
        expect(shown.tax).to.equal(Math.max(0, rest));
        if (tax > 0) return;
        // Four figures were rounded.
        expect(Math.abs(rest)).to.be.at.most(2);
      }),
    );
  });

  it('makes parts sum to the whole, none of them below nothing where the whole is not', () => {
    const parts = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(parts, fc.integer({ min: 0, max: 400 }), (rounded, whole) => {
        const settled = withRest(rounded, whole);
        expect(sum(settled)).to.equal(whole);
        expect(Math.min(...settled)).to.be.at.least(0);
      }),
    );
  });
});
