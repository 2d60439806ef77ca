import { percentOf } from '#values/money.ts';
import { problem, type DiscountProblem } from './discount-problem.ts';
import type { Piece } from './piece.ts';
import type { PieceDiscount } from './product-discounts.ts';

/** A percentage off one line, by the link that brought the shopper (docs/rules/discount-amounts.md#referrals). */
export interface Referral {
  readonly lineId: string;
  readonly percentage: number;
  readonly name: string;
  /** ISO instant. */
  readonly expiresAt: string;
}

export interface ReferralDiscount extends PieceDiscount {
  readonly name: string;
}

export interface LapsedReferral {
  readonly lineId: string;
  readonly name: string;
  readonly problem: DiscountProblem;
}

/** What referrals take off their lines, and those whose time is over. A line that is gone takes its own along. */
export const referralDiscounts = (
  referrals: readonly Referral[],
  pieces: readonly Piece[],
  now: number,
): { readonly taken: readonly ReferralDiscount[]; readonly lapsed: readonly LapsedReferral[] } => {
  const taken: ReferralDiscount[] = [];
  const lapsed: LapsedReferral[] = [];
  for (const { lineId, percentage, name, expiresAt } of referrals) {
    const piece = pieces.find((one) => one.lineId === lineId);
    if (piece === undefined) continue;
    if (Date.parse(expiresAt) <= now)
      lapsed.push({ lineId, name, problem: problem('Expired', `${name} has expired.`) });
    else taken.push({ piece, name, amount: percentOf(piece.unit, percentage) * piece.quantity });
  }
  return { taken, lapsed };
};
