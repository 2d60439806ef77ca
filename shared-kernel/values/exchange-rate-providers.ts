import { currencyCodes } from './currency.ts';
import { rateText } from './exchange.ts';
import { providerField, type ProviderField } from './provider-field.ts';

/** What is known of a source of exchange rates without asking it. */
export interface RateProviderDescription {
  readonly alias: string;
  readonly displayName: string;
  readonly description: string;
  readonly supportsHistoricalRates: boolean;
  readonly supportedCurrencies: readonly string[];
  readonly fields: readonly ProviderField[];
}

/** Where the public service of that name answers. */
export const FRANKFURTER_URL = 'https://api.frankfurter.dev/v1';

/** The currencies that the European Central Bank quotes. */
const centralBankCurrencies = (
  'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PHP PLN RON SEK SGD THB ' +
  'TRY USD ZAR'
).split(' ');

/** Every source of exchange rates (docs/rules/currency.md#providers). */
export const rateProviders: readonly RateProviderDescription[] = [
  {
    alias: 'manual',
    displayName: 'Manual',
    description: 'Rates entered by hand. No service is called.',
    supportsHistoricalRates: false,
    supportedCurrencies: currencyCodes,
    fields: [
      providerField('rates', "Units of each currency for one unit of the store's", 'rates', {
        isRequired: true,
      }),
    ],
  },
  {
    alias: 'frankfurter',
    displayName: 'Frankfurter',
    description: 'Reference rates of the European Central Bank, asked for over HTTP.',
    supportsHistoricalRates: true,
    supportedCurrencies: centralBankCurrencies,
    fields: [providerField('url', 'Address, without /latest', 'url', { defaultValue: FRANKFURTER_URL })],
  },
];

/** The provider that is asked: the one that the configuration names, else what was activated, else the manual one. */
export const activeRateProvider = (named: string | null, activated: string | null): string =>
  named ?? activated ?? 'manual';

/** The rates that the manual provider is set to, for one unit of `base`, as they are kept. */
export const manualRates = (
  configuration: Readonly<Record<string, unknown>>,
  base: string,
): Readonly<Record<string, string>> => {
  const given = (configuration['rates'] ?? {}) as Readonly<Record<string, number>>;
  const others = Object.entries(given).filter(([currency]) => currency !== base);
  return Object.fromEntries(others.map(([currency, rate]) => [currency, rateText(rate)]));
};
