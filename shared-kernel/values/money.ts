import { Decimal } from 'decimal.js';
import { decimalsOf, stepOf, symbolOf } from './currency.ts';

/**
 * Amounts are integers in the minor unit of an ISO 4217 currency (`Minor`); decimals exist on the wire only. Every
 * rounding of money in Tillroll happens in this file, half away from zero (docs/rules/pricing.md#rounding).
 */
export type Minor = number;

/**
 * The largest amount that the shop takes, for a single figure and for everything in a basket together. Thousands of
 * baskets of this size still add up exactly in a report (docs/rules/pricing.md#largest-amount).
 */
export const MAX_AMOUNT: Minor = 999_999_999_999;

const DECIMAL = Decimal.clone({ precision: 40, rounding: Decimal.ROUND_HALF_UP });

/** ROUND_HALF_UP of decimal.js rounds half away from zero. */
const roundHalfAway = (value: Decimal): Minor => {
  const rounded = value.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
  return rounded === 0 ? 0 : rounded;
};

/** The multiple of `step` that is nearest. */
const roundToStep = (value: Decimal, step: number): Minor =>
  step === 1 ? roundHalfAway(value) : roundHalfAway(value.dividedBy(step)) * step;

/** `amount × factor / divisor`, rounded half away from zero; exact for every safe integer. */
export const scale = (amount: Minor, factor: number, divisor: number): Minor => {
  const product = amount * factor;
  if (Number.isSafeInteger(product) && Number.isSafeInteger(product * 2)) {
    const magnitude = Math.abs(product);
    const quotient = Math.floor(magnitude / divisor);
    const rounded = (magnitude - quotient * divisor) * 2 >= divisor ? quotient + 1 : quotient;
    return rounded === 0 ? 0 : product < 0 !== divisor < 0 ? -rounded : rounded;
  }
  return roundHalfAway(new DECIMAL(amount).times(factor).dividedBy(divisor));
};

/** Percentages have at most four decimals: in ten-thousandths of a percent they are integers. */
const percentParts = (percent: number): number => Math.round(percent * 10_000);

/** `percent` (20 is 20 %) of an amount. */
export const percentOf = (amount: Minor, percent: number): Minor =>
  scale(amount, percentParts(percent), 1_000_000);

/** The amount with `percent` on top: a net price made gross. */
export const withPercent = (amount: Minor, percent: number): Minor =>
  scale(amount, 1_000_000 + percentParts(percent), 1_000_000);

/** What is left of an amount that had `percent` put on top: a gross price made net. */
export const withoutPercent = (amount: Minor, percent: number): Minor =>
  scale(amount, 1_000_000, 1_000_000 + percentParts(percent));

/** An amount with `percent` on top in millionths of a minor unit: exact, so that many can be summed before rounding. */
export const grossInMillionths = (amount: Minor, percent: number): bigint =>
  BigInt(amount) * BigInt(1_000_000 + percentParts(percent));

/** Rounds a sum of such amounts; never negative. */
export const roundMillionths = (sum: bigint): Minor => Number((sum * 2n + 1_000_000n) / 2_000_000n);

/** How many percent of `whole` a part is, to four decimals; `whole` is not 0. */
export const ratioPercent = (part: Minor, whole: Minor): number => scale(1_000_000, part, whole) / 10_000;

/** What percents come to on average, weighted by amounts; four decimals, 0 when all amounts are 0. */
export const weightedPercent = (
  parts: readonly { readonly amount: Minor; readonly percent: number }[],
): number => {
  let whole = 0;
  let weighted = new DECIMAL(0);
  for (const { amount, percent } of parts) {
    whole += amount;
    weighted = weighted.plus(new DECIMAL(percent).times(amount));
  }
  return whole === 0 ? 0 : weighted.dividedBy(whole).toDecimalPlaces(4, Decimal.ROUND_HALF_UP).toNumber();
};

/** How the product of `timesDecimal` is shown. */
interface Shown {
  readonly shiftDecimals?: number;
  /** A percentage on top. */
  readonly percentOnTop?: number;
  /** A multiple of it. */
  readonly step?: number;
}

/** An amount, with a percentage on top, times a decimal number given as text, such as an exchange rate. */
export const timesDecimal = (
  amount: Minor,
  factor: string,
  { shiftDecimals = 0, percentOnTop = 0, step = 1 }: Shown = {},
): Minor => {
  if (factor === '1' && shiftDecimals === 0 && step === 1) {
    return percentOnTop === 0 ? amount : withPercent(amount, percentOnTop);
  }
  const product = new DECIMAL(amount).times(factor).times(new DECIMAL(10).pow(shiftDecimals));
  if (percentOnTop === 0) return roundToStep(product, step);
  return roundToStep(product.times(1_000_000 + percentParts(percentOnTop)).dividedBy(1_000_000), step);
};

/** An amount as it is shown in its own currency (docs/rules/pricing.md#steps). */
export const inSteps = (amount: Minor, currency: string): Minor => {
  const step = stepOf(currency);
  return step === 1 ? amount : scale(amount, 1, step) * step;
};

/** Decimals of a whole unit that a quotient is rounded at before it is rounded to its currency. */
const QUOTIENT_DECIMALS = 12;
/** A divisor has 20 digits: of its quotient the last one is not to be trusted. */
const QUOTIENT_DIGITS = 19;

/**
 * An amount divided by a decimal number given as text, from one number of decimals to another. The quotient is rounded
 * at 12 decimals first: a divisor that had to be cut after 20 digits must not tip the scales between two minor units
 * (docs/rules/currency.md#invoices).
 */
export const overDecimal = (
  amount: Minor,
  divisor: string,
  decimals: { readonly from: number; readonly to: number },
  step = 1,
): Minor =>
  roundToStep(
    new DECIMAL(amount)
      .times(new DECIMAL(10).pow(decimals.to - decimals.from))
      .dividedBy(divisor)
      .toSignificantDigits(QUOTIENT_DIGITS)
      .toDecimalPlaces(QUOTIENT_DECIMALS - decimals.to, Decimal.ROUND_HALF_UP),
    step,
  );

/** By their number of decimals: how many minor units make one. */
const units = [0, 1, 2, 3, 4].map((decimals) => new DECIMAL(10).pow(decimals));

const unitsOf = (currency: string): Decimal => {
  const decimals = decimalsOf(currency);
  return units[decimals] ?? new DECIMAL(10).pow(decimals);
};

/** True when a number has at most the currency's decimals and is a safe amount. */
export const isAmountIn = (value: number, currency: string): boolean => {
  if (!Number.isFinite(value)) return false;
  const scaled = new DECIMAL(value).times(unitsOf(currency));
  return scaled.isInteger() && Number.isSafeInteger(scaled.toNumber());
};

/** True when a number on the wire is not further from 0 than the largest amount. */
export const isWithinLimit = (value: number, currency: string): boolean =>
  new DECIMAL(value).times(unitsOf(currency)).abs().lessThanOrEqualTo(MAX_AMOUNT);

/** From the number on the wire to minor units. The caller has checked `isAmountIn`. */
export const toMinor = (value: number, currency: string): Minor =>
  roundHalfAway(new DECIMAL(value).times(unitsOf(currency)));

/** From minor units to the number on the wire. */
export const toDecimal = (amount: Minor, currency: string): number => {
  const decimals = decimalsOf(currency);
  return decimals === 0 ? amount : amount / 10 ** decimals;
};

/** `£1,234.50`: symbol first, invariant separators, the currency's decimals (docs/rules/pricing.md#currencies). */
export const formatMoney = (amount: Minor, currency: string): string => {
  const decimals = decimalsOf(currency);
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  let whole = digits.slice(0, digits.length - decimals);
  if (whole.length > 3) whole = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const fraction = decimals === 0 ? '' : `.${digits.slice(digits.length - decimals)}`;
  return `${amount < 0 ? '-' : ''}${symbolOf(currency)}${whole}${fraction}`;
};

interface Share {
  readonly index: number;
  readonly remainder: number | bigint;
}

/** Gives each of the largest remainders one unit more; among equals the earlier one. */
const giveOut = (parts: number[], units: number, shares: Share[]): void => {
  if (units === 0) return;
  shares.sort((a, b) =>
    a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1,
  );
  for (const { index } of shares.slice(0, units)) parts[index] = (parts[index] ?? 0) + 1;
};

/** As `allocate`, where every product of amount and weight is counted exactly. */
const allocateExactly = (amount: Minor, weights: readonly number[], total: number): Minor[] => {
  const shares: Share[] = [];
  let left = amount;
  const parts = weights.map((weight, index) => {
    const remainder = (amount * weight) % total;
    const part = (amount * weight - remainder) / total;
    shares.push({ index, remainder });
    left -= part;
    return part;
  });
  giveOut(parts, left, shares);
  return parts;
};

const allocateLarge = (amount: Minor, weights: readonly (number | bigint)[]): Minor[] => {
  const large = weights.map(BigInt);
  const total = large.reduce((sum, weight) => sum + weight, 0n);
  if (total === 0n) return weights.map(() => 0);
  const shares: Share[] = [];
  let left = amount;
  const parts = large.map((weight, index) => {
    const exact = BigInt(amount) * weight;
    shares.push({ index, remainder: exact % total });
    const part = Number(exact / total);
    left -= part;
    return part;
  });
  giveOut(parts, left, shares);
  return parts;
};

const isNumbers = (weights: readonly (number | bigint)[]): weights is readonly number[] =>
  typeof weights[0] === 'number';

/**
 * Splits an amount over weights so that the parts sum exactly: each share is rounded down, what remains goes to the
 * largest remainders, equal remainders to the earlier one (docs/rules/pricing.md#sharing-out). Weights are
 * non-negative; when all are 0 everything is 0.
 */
export const allocate = (amount: Minor, weights: readonly number[] | readonly bigint[]): Minor[] => {
  if (amount < 0) return allocate(-amount, weights).map((part) => (part === 0 ? 0 : -part));
  if (!isNumbers(weights)) return allocateLarge(amount, weights);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return weights.map(() => 0);
  return Number.isSafeInteger(amount * total)
    ? allocateExactly(amount, weights, total)
    : allocateLarge(amount, weights);
};

/**
 * Parts that were rounded each by itself, made to sum to `whole`: the last takes the rest, and the one before it what
 * would take that below 0. One that is nothing, or takes something off, bears the rest only where no other can.
 */
export const withRest = (parts: readonly Minor[], whole: Minor): Minor[] => {
  const settled = [...parts];
  let rest = whole - parts.reduce((sum, part) => sum + part, 0);
  for (let index = parts.length - 1; index >= 0 && rest !== 0; index--) {
    const part = parts[index] ?? 0;
    if (part <= 0) continue;
    const taken = Math.max(rest, -part);
    settled[index] = part + taken;
    rest -= taken;
  }
  if (rest !== 0 && parts.length > 0) settled[parts.length - 1] = (settled.at(-1) ?? 0) + rest;
  return settled;
};
