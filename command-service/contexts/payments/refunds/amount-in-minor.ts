import { refuseProblems } from '#kernel/entity.ts';
import { isAmountIn, toMinor } from '#values/money.ts';

/** An amount of a body, null for none. Errors: `invalid-request` for more decimals than the currency has. */
export const inMinor = (amount: number | null | undefined, currency: string): number | null => {
  if (amount === null || amount === undefined) return null;
  if (!isAmountIn(amount, currency))
    refuseProblems([`amount: must be an amount with the decimals of ${currency}`]);
  return toMinor(amount, currency);
};
