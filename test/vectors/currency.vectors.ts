import { crossRate, displayAmount } from '#values/exchange.ts';
import { formatMoney } from '#values/money.ts';
import { table } from './vector.ts';

export const shownAmounts = table(
  'What does a shopper see? The store sells in USD',
  'docs/rules/currency.md#shown',
  (amount: number, currency: string, rate: string, percentOnTop: number) =>
    formatMoney(displayAmount(amount, 'USD', { currency, rate }, percentOnTop), currency),
  [
    ['19.99 in JPY at 149.5', '¥2,989', 1999, 'JPY', '149.5', 0],
    ['19.99 in KWD at 0.307', 'KWD\u00a06.140', 1999, 'KWD', '0.307', 0],
    ['19.99 in EUR at 0.92', '€18.39', 1999, 'EUR', '0.92', 0],
    ['10.00 in EUR at 0.92 with 20 % tax', '€11.04', 1000, 'EUR', '0.92', 20],
    ['0.10 in EUR at 0.15', '€0.02', 10, 'EUR', '0.15', 0],
    ['0.01 in JPY at 149.5', '¥1', 1, 'JPY', '149.5', 0],
    ['19.99 in USD', '$19.99', 1999, 'USD', '1', 0],
  ],
);

const rates = { baseCurrency: 'USD', rates: { EUR: '0.92', JPY: '149.5' } };

export const crossRates = table(
  'What is the rate? USD 1 is EUR 0.92 and JPY 149.5',
  'docs/rules/currency.md#rates',
  (from: string, to: string) => crossRate(rates, from, to) ?? 'none',
  [
    ['USD to EUR', '0.92', 'USD', 'EUR'],
    ['EUR to USD', '1.0869565217391304348', 'EUR', 'USD'],
    ['EUR to JPY', '162.5', 'EUR', 'JPY'],
    ['JPY to JPY', '1', 'JPY', 'JPY'],
    ['USD to CHF', 'none', 'USD', 'CHF'],
  ],
);
