import { Decimal } from 'decimal.js';
import { decimalsOf, stepOf } from './currency.ts';
import { inSteps, overDecimal, timesDecimal, type Minor } from './money.ts';

/** A currency to show amounts in. `rate`: its units for one unit of the store's currency, an exact decimal. */
export interface DisplayCurrency {
  readonly currency: string;
  readonly rate: string;
}

/** What an invoice is in. `rate`: units of the store's currency for one of its own, an exact decimal of 20 digits. */
export interface PricingCurrency {
  readonly currency: string;
  readonly rate: string;
}

/** How amounts are shown to a shopper. */
export interface Presentation {
  readonly storeCurrency: string;
  /** The store's own currency at the rate "1" where there is no other. */
  readonly display: DisplayCurrency;
  readonly displayPricesIncTax: boolean;
}

/** Exchange rates that were quoted together: units of each currency for one unit of the base, exact decimals. */
export interface ExchangeRates {
  readonly baseCurrency: string;
  readonly rates: Readonly<Record<string, string>>;
}

const DECIMAL = Decimal.clone({ precision: 20, rounding: Decimal.ROUND_HALF_UP });

/** For a rate of 20 digits times a percentage of 7. */
const EXACT = Decimal.clone({ precision: 40, rounding: Decimal.ROUND_HALF_UP });

const SMALLEST_RATE = 1e-9;
const LARGEST_RATE = 1e9;

/** Whether a number can be a rate: above 0, and of a size with which amounts can be counted. */
export const isRate = (rate: number): boolean => rate >= SMALLEST_RATE && rate <= LARGEST_RATE;

/** A rate as it is kept: at most 20 digits, written out (docs/rules/currency.md#rates). */
export const rateText = (rate: number | Decimal): string => new DECIMAL(rate).plus(0).toFixed();

/** Units of `to` for one unit of `from`, at most 20 digits; null where a rate is missing. */
export const crossRate = (
  { baseCurrency, rates }: ExchangeRates,
  from: string,
  to: string,
): string | null => {
  if (from === to) return '1';
  const toRate = to === baseCurrency ? '1' : rates[to];
  const fromRate = from === baseCurrency ? '1' : rates[from];
  if (toRate === undefined || fromRate === undefined) return null;
  return fromRate === '1' ? toRate : rateText(new DECIMAL(toRate).dividedBy(fromRate));
};

/**
 * An amount of the store's currency as the shopper sees it: `amount × rate`, rounded once, where prices include tax
 * with a percentage on top (docs/rules/currency.md#shown).
 */
export const displayAmount = (
  amount: Minor,
  storeCurrency: string,
  display: DisplayCurrency,
  percentOnTop = 0,
): Minor =>
  timesDecimal(amount, display.rate, {
    shiftDecimals: decimalsOf(display.currency) - decimalsOf(storeCurrency),
    percentOnTop,
    step: stepOf(display.currency),
  });

/**
 * A percentage of tax on an amount of the store's currency, as the shopper sees it: rounded once
 * (docs/rules/currency.md#shown).
 */
export const displayTax = (
  amount: Minor,
  percent: number,
  storeCurrency: string,
  display: DisplayCurrency,
): Minor => {
  const factor = new EXACT(display.rate).times(percent).dividedBy(100).toFixed();
  const shiftDecimals = decimalsOf(display.currency) - decimalsOf(storeCurrency);
  return timesDecimal(amount, factor, { shiftDecimals, step: stepOf(display.currency) });
};

/** What an invoice is in whose shopper was shown this currency: the inverse of its rate. */
export const pricingCurrency = ({ currency, rate }: DisplayCurrency): PricingCurrency => ({
  currency,
  rate: rate === '1' ? '1' : rateText(new DECIMAL(1).dividedBy(rate)),
});

/**
 * An amount of the store's currency as an invoice has it: `amount / rate`, rounded once
 * (docs/rules/currency.md#invoices).
 */
export const invoiceAmount = (amount: Minor, storeCurrency: string, pricing: PricingCurrency): Minor =>
  pricing.currency === storeCurrency
    ? inSteps(amount, storeCurrency)
    : overDecimal(
        amount,
        pricing.rate,
        { from: decimalsOf(storeCurrency), to: decimalsOf(pricing.currency) },
        stepOf(pricing.currency),
      );

/** What a basket or an invoice comes to. `shipping` is before tax and before anything is taken off it. */
export interface Figures {
  readonly subTotal: Minor;
  readonly discount: Minor;
  readonly shipping: Minor;
  readonly tax: Minor;
  readonly total: Minor;
}

/**
 * Figures of the store's currency as the shopper sees them. They add up: tax balances the others, and where there is
 * none to do that, the total is their sum (docs/rules/currency.md#shown).
 */
export const displayFigures = (
  figures: Figures,
  storeCurrency: string,
  display: DisplayCurrency,
): Figures => {
  if (display.rate === '1' && display.currency === storeCurrency && stepOf(storeCurrency) === 1)
    return figures;
  const shown = (amount: Minor): Minor => displayAmount(amount, storeCurrency, display);
  const subTotal = shown(figures.subTotal);
  const shipping = shown(figures.shipping);
  // All of a basket may be taken off, and no more than what is shown of it.
  const discount = Math.min(shown(figures.discount), subTotal + shipping);
  const untaxed = subTotal - discount + shipping;
  const total = shown(figures.total);
  return figures.tax === 0 || total < untaxed
    ? { subTotal, discount, shipping, tax: 0, total: untaxed }
    : { subTotal, discount, shipping, tax: total - untaxed, total };
};
