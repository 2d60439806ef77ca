import { keysOfLine, type LineTraits } from '#values/discount-targets.ts';
import type { Minor } from '#values/money.ts';

/** A line of a basket, or one of its add-ons, as discounts see it. */
export interface Piece {
  readonly lineId: string;
  readonly productId: string;
  readonly isAddon: boolean;
  /** What a unit costs, less what its add-ons take off; never negative. */
  readonly unit: Minor;
  readonly quantity: number;
  /** Percent; 0 where no tax is on it. */
  readonly taxRate: number;
  /** Of its product: what targets may name (docs/rules/discounts.md#targets). */
  readonly keys: readonly string[];
}

export const totalOf = ({ unit, quantity }: Piece): Minor => unit * quantity;

export const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Ties between lines go by product, then by line, never by place: the order of a basket's lines changes no figure. */
export const byProduct = (one: Piece, other: Piece): number =>
  byText(one.productId, other.productId) || byText(one.lineId, other.lineId);

/** What targets may name of a line. A line that two warehouses send is what either of them makes it. */
export const keysOf = (traits: readonly LineTraits[]): readonly string[] =>
  traits.length === 1 && traits[0] ? keysOfLine(traits[0]) : [...new Set(traits.flatMap(keysOfLine))];
