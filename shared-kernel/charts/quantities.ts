import { decimalsOf, symbolOf } from '#values/currency.ts';
import { formatMoney, toMinor } from '#values/money.ts';

/** What a chart shows: amounts of a currency, or a count of something where there is none. */
export type ChartCurrency = string | null;

/** `$1,234.50` or `1,234`. */
export const quantity = (value: number, currency: ChartCurrency): string =>
  currency === null ? value.toLocaleString('en') : formatMoney(toMinor(value, currency), currency);

/** The smallest difference between two values that a chart can show. */
const smallestStep = (currency: ChartCurrency): number =>
  currency === null ? 1 : 10 ** -decimalsOf(currency);

const roundSteps = [1, 2, 2.5, 5, 10];

/** Without the dust of binary fractions. */
const tidied = (value: number): number => Number(value.toPrecision(12));

/**
 * Values for the lines of a scale that reaches from `low` to `high` in some four steps of a round number: 0, 250, 500.
 * Both ends are on a line; 0 is one where it is between them.
 */
export const roundTicks = (low: number, high: number, currency: ChartCurrency): readonly number[] => {
  const smallest = smallestStep(currency);
  const wanted = Math.max((high - low) / 4, smallest);
  const magnitude = 10 ** Math.floor(Math.log10(wanted));
  const isWhole = (step: number): boolean => Number.isInteger(tidied(step / smallest));
  const steps = roundSteps.map((step) => tidied(step * magnitude)).filter(isWhole);
  const step = steps.find((one) => one >= tidied(wanted)) ?? smallest;
  const first = Math.floor(tidied(low / step));
  const last = Math.max(Math.ceil(tidied(high / step)), first + 1);
  return Array.from({ length: last - first + 1 }, (_, place) => tidied((first + place) * step));
};

const scales = [
  { from: 1e9, by: 1e9, sign: 'bn' },
  { from: 1e6, by: 1e6, sign: 'M' },
  { from: 1e4, by: 1e3, sign: 'k' },
];

/** Labels of ticks, all in one scale: `$0`, `$2.5k`, `$5k`. */
export const tickLabels = (ticks: readonly number[], currency: ChartCurrency): readonly string[] => {
  const largest = Math.max(...ticks.map(Math.abs));
  const { by, sign } = scales.find(({ from }) => largest >= from) ?? { by: 1, sign: '' };
  const hasFractions = ticks.some((tick) => !Number.isInteger(tick));
  const decimals = by === 1 && hasFractions && currency !== null ? decimalsOf(currency) : 0;
  return ticks.map((tick) => {
    const digits = tidied(Math.abs(tick) / by).toLocaleString('en', {
      minimumFractionDigits: decimals,
      maximumFractionDigits: 6,
    });
    const symbol = currency === null ? '' : symbolOf(currency);
    return `${tick < 0 ? '−' : ''}${symbol}${digits}${tick === 0 ? '' : sign}`;
  });
};
