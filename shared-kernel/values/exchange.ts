import { decimalsOf } from './currency.ts';
import { timesDecimal, type Minor } from './money.ts';

/** A currency to show amounts in. `rate`: its units for one unit of the store's currency, an exact decimal. */
export interface DisplayCurrency {
  readonly currency: string;
  readonly rate: string;
}

/**
 * An amount of the store's currency as the shopper sees it: `amount × rate`, rounded
 * (docs/rules/pricing.md#another-currency).
 */
export const displayAmount = (amount: Minor, storeCurrency: string, display: DisplayCurrency): Minor =>
  timesDecimal(amount, display.rate, decimalsOf(display.currency) - decimalsOf(storeCurrency));
