import type { DiscountRule } from '#entities/discount.entity.ts';
import { allocate, grossInMillionths, roundMillionths, withoutPercent, type Minor } from '#values/money.ts';
import type { Piece } from './piece.ts';
import { valueOff } from './product-discounts.ts';

const sum = (amounts: readonly Minor[]): Minor => amounts.reduce((all, amount) => all + amount, 0);

/** As much of a rule as says what it takes off an order. */
type OrderRule = Pick<DiscountRule, 'valueType' | 'value' | 'applyAfterTax'>;
type TaxedPiece = Pick<Piece, 'taxRate'>;

/** The tax comes off each share by the rate of its piece; what that makes of the shares is the discount. */
const sharesAfterTax = (
  { valueType, value }: OrderRule,
  pieces: readonly TaxedPiece[],
  left: readonly Minor[],
): Minor[] => {
  const gross = pieces.map(({ taxRate }, index) => grossInMillionths(left[index] ?? 0, taxRate));
  const whole = roundMillionths(gross.reduce((all, amount) => all + amount, 0n));
  const shares = allocate(valueOff(valueType, value, whole), gross);
  return pieces.map(({ taxRate }, index) =>
    Math.min(left[index] ?? 0, withoutPercent(shares[index] ?? 0, taxRate)),
  );
};

/**
 * What a rule takes off each piece, of what earlier rules have left of it; the shares are the discount
 * (docs/rules/discount-amounts.md#order).
 */
export const orderShares = (
  rule: OrderRule,
  pieces: readonly TaxedPiece[],
  left: readonly Minor[],
): Minor[] =>
  rule.applyAfterTax
    ? sharesAfterTax(rule, pieces, left)
    : allocate(valueOff(rule.valueType, rule.value, sum(left)), left);

/** What it takes off in all. */
export const orderAmount = (rule: DiscountRule, pieces: readonly Piece[], left: readonly Minor[]): Minor =>
  rule.applyAfterTax
    ? sum(sharesAfterTax(rule, pieces, left))
    : valueOff(rule.valueType, rule.value, sum(left));
