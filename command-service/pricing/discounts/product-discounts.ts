import type { DiscountRule } from '#entities/discount.entity.ts';
import { percentOf, withoutPercent, withPercent, type Minor } from '#values/money.ts';
import type { Piece } from './piece.ts';
import { matching } from './target-matching.ts';

/** What is taken off a piece, before anything else has taken from it. */
export interface PieceDiscount {
  readonly piece: Piece;
  readonly amount: Minor;
}

type Value = 'FixedAmount' | 'Percentage' | 'Free';

/** What a value takes off an amount; never more than that. */
export const valueOff = (type: Value, value: number, amount: Minor): Minor => {
  switch (type) {
    case 'Percentage':
      return percentOf(amount, value);
    case 'FixedAmount':
      return Math.min(value, amount);
    case 'Free':
      return amount;
  }
};

/** After tax: the gross unit loses it, and the price before tax what the tax leaves of that. */
const unitDiscount = ({ valueType, value, applyAfterTax }: DiscountRule, { unit, taxRate }: Piece): Minor => {
  if (!applyAfterTax) return valueOff(valueType, value, unit);
  const off = valueOff(valueType, value, withPercent(unit, taxRate));
  return Math.min(unit, withoutPercent(off, taxRate));
};

/** What a rule takes off each unit of the pieces that it is about (docs/rules/discount-amounts.md#products). */
export const productDiscounts = (rule: DiscountRule, pieces: readonly Piece[]): PieceDiscount[] =>
  matching(rule, pieces).map((piece) => ({ piece, amount: unitDiscount(rule, piece) * piece.quantity }));
