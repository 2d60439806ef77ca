import fc from 'fast-check';
import { expect } from 'chai';
import { decimalsOf, stepOf } from '#values/currency.ts';
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
        const unit = 10 ** Math.max(0, decimalsOf(store) - decimalsOf(shown)) * stepOf(shown);
        const nearest = Math.ceil(unit / 7.25) + stepOf(store);
        expect(Math.abs(displayAmount(there, shown, back) - cost)).to.be.at.most(nearest);
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

  it('shows figures that add up, none of them below nothing, and no tax where there is none', () => {
    const figure = fc.oneof(exact, fc.constantFrom(0, 1, 2, 5, 99, 100), fc.integer({ min: 0, max: 3000 }));
    const taxed = fc.oneof(fc.constant(0), figure);
    fc.assert(
      fc.property(
        fc.tuple(figure, figure, figure, taxed, rate, currency),
        ([subTotal, off, shipping, tax, quoted, shownIn]) => {
          const discount = Math.min(off, subTotal + shipping);
          const total = subTotal - discount + shipping + tax;
          const figures = { subTotal, discount, shipping, tax, total };
          const display = { currency: shownIn, rate: quoted };
          if (displayAmount(subTotal + shipping + total, 'GBP', display) > MAX_AMOUNT) return;
          const shown = displayFigures(figures, 'GBP', display);
          expect(shown.subTotal - shown.discount + shown.shipping + shown.tax, 'the sum').to.equal(
            shown.total,
          );
          expect(Math.min(...Object.values(shown)), 'below nothing').to.be.at.least(0);
          if (tax === 0) expect(shown.tax, 'tax').to.equal(0);
          const converted = displayAmount(total, 'GBP', display);
          expect(Math.abs(shown.total - converted), 'the converted total').to.be.at.most(stepOf(shownIn));
          for (const part of Object.values(shown)) expect(part % stepOf(shownIn), 'a step').to.equal(0);
        },
      ),
      { numRuns: 3000 },
    );
  });

  for (const [own, rate, expected] of [
    [[100, 0, 100, 0, 200], '1.174', [117, 0, 117, 0, 234]],
    [[1, 0, 1, 1, 3], '0.5', [1, 0, 1, 0, 2]],
    [[100, 0, 100, 20, 220], '1.174', [117, 0, 117, 24, 258]],
  ] as const) {
    it(`shows ${own.join(', ')} pence at ${rate} as ${expected.join(', ')} cents`, () => {
      const [subTotal, discount, shipping, tax, total] = own;
      const shown = displayFigures({ subTotal, discount, shipping, tax, total }, 'GBP', {
        currency: 'EUR',
        rate,
      });
      const { subTotal: goods, discount: off, shipping: sent, tax: taxes, total: all } = shown;
      expect([goods, off, sent, taxes, all]).to.deep.equal(expected);
    });
  }

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
