import type { DiscountRule } from '#entities/discount.entity.ts';
import type { NaivePiece } from './naive-basket.ts';

export const MILLION = 1_000_000n;

/** Half away from zero, of what is not negative. */
export const round = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator);
export const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);
export const parts = (percent: number): bigint => BigInt(Math.round(percent * 10_000));
export const add = (values: readonly bigint[]): bigint => values.reduce((all, value) => all + value, 0n);
export const factor = ({ rateParts }: NaivePiece): bigint => MILLION + BigInt(rateParts);

export const valueOf = (type: DiscountRule['valueType'], value: number, base: bigint): bigint => {
  if (type === 'Free') return base;
  return type === 'FixedAmount' ? least(BigInt(value), base) : round(base * parts(value), MILLION);
};

/** Shares by largest remainder; of equal remainders the first of the list. */
export const share = (amount: bigint, weights: readonly bigint[]): bigint[] => {
  const whole = add(weights);
  if (whole === 0n) return weights.map(() => 0n);
  const shares = weights.map((weight) => (amount * weight) / whole);
  const remainders = weights.map((weight) => (amount * weight) % whole);
  for (let left = amount - add(shares); left > 0n; left--) {
    let winner = 0;
    remainders.forEach((remainder, index) => {
      if (remainder > (remainders[winner] ?? 0n)) winner = index;
    });
    shares[winner] = (shares[winner] ?? 0n) + 1n;
    remainders[winner] = -1n;
  }
  return shares;
};
