import { Decimal } from 'decimal.js';

/** How percentages are rounded (docs/rules/reporting.md#percentages). Never a negative zero. */
export const halfToEven = (value: Decimal, decimals: number): number => {
  const result = value.toDecimalPlaces(decimals, Decimal.ROUND_HALF_EVEN).toNumber();
  return result === 0 ? 0 : result;
};

/** 1 of 3 → 33.3: how many percent a part is; of nothing 0. */
export const percentage = (part: number, whole: number, decimals: number): number =>
  whole > 0 ? halfToEven(new Decimal(part).dividedBy(whole).times(100), decimals) : 0;
