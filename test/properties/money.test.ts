import { expect } from 'chai';
import fc from 'fast-check';
import {
  allocate,
  formatMoney,
  isAmountIn,
  percentOf,
  scale,
  toDecimal,
  toMinor,
  weightedPercent,
  withPercent,
} from '#values/money.ts';

// Random amounts against big integers, which never round.

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

/** numerator / denominator, half away from zero. */
const divided = (numerator: bigint, denominator: bigint): bigint => {
  const magnitude = (absolute(numerator) * 2n + absolute(denominator)) / (absolute(denominator) * 2n);
  return numerator < 0n !== denominator < 0n ? -magnitude : magnitude;
};

const amount = fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 });
/** Percents with up to four decimals, as ten-thousandths. */
const percentParts = fc.integer({ min: 0, max: 1_000_000 });
const currency = fc.constantFrom('GBP', 'USD', 'JPY', 'KWD', 'CHF');

describe('money', () => {
  it('is scaled exactly, rounded half away from zero', () => {
    fc.assert(
      fc.property(
        amount,
        fc.integer({ min: 0, max: 2 ** 40 }),
        fc.integer({ min: 1, max: 2 ** 40 }),
        (a, b, c) => {
          const exact = divided(BigInt(a) * BigInt(b), BigInt(c));
          fc.pre(absolute(exact) <= BigInt(Number.MAX_SAFE_INTEGER));
          expect(BigInt(scale(a, b, c))).to.equal(exact);
        },
      ),
    );
  });

  it('has percentages taken of it and put on it exactly', () => {
    fc.assert(
      fc.property(amount, percentParts, (a, parts) => {
        const percent = parts / 10_000;
        expect(BigInt(percentOf(a, percent))).to.equal(divided(BigInt(a) * BigInt(parts), 1_000_000n));
        expect(withPercent(a, percent)).to.equal(a + percentOf(a, percent));
      }),
    );
  });

  it('is split into parts that sum to it, none further than one unit from its share', () => {
    const weights = fc.array(fc.integer({ min: 0, max: 10_000_000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000_000 }), weights, (whole, shares) => {
        const total = shares.reduce((sum, share) => sum + share, 0);
        const parts = allocate(whole, shares);
        expect(parts.reduce((sum, part) => sum + part, 0)).to.equal(total === 0 ? 0 : whole);
        parts.forEach((part, index) => {
          const distance = BigInt(part) * BigInt(total) - BigInt(whole) * BigInt(shares[index] ?? 0);
          expect(total === 0 || absolute(distance) < BigInt(total)).to.equal(true);
        });
      }),
    );
  });

  it('never gives a line more than it costs when no more than all of them is given', () => {
    const lines = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(lines, fc.double({ min: 0, max: 1, noNaN: true }), (costs, share) => {
        const whole = Math.floor(costs.reduce((sum, cost) => sum + cost, 0) * share);
        allocate(whole, costs).forEach((part, index) => expect(part).to.be.at.most(costs[index] ?? 0));
      }),
    );
  });

  it('comes back from the wire as it went out, in every currency', () => {
    fc.assert(
      fc.property(amount, currency, (minor, code) => {
        const decimal = toDecimal(minor, code);
        expect(isAmountIn(decimal, code)).to.equal(true);
        expect(toMinor(JSON.parse(JSON.stringify(decimal)) as number, code)).to.equal(minor);
      }),
    );
  });

  it('reads as digits in threes with the currency’s decimals', () => {
    expect(formatMoney(123_450, 'GBP')).to.equal('£1,234.50');
    expect(formatMoney(-5, 'GBP')).to.equal('-£0.05');
    expect(formatMoney(1_234_567, 'JPY')).to.equal('¥1,234,567');
    expect(formatMoney(1_234_567, 'KWD')).to.equal('KWD\u00a01,234.567');
  });

  it('averages equal rates to that very rate', () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(amounts, percentParts, (weights, parts) => {
        const percent = parts / 10_000;
        expect(weightedPercent(weights.map((weight) => ({ amount: weight, percent })))).to.equal(percent);
      }),
    );
  });
});
