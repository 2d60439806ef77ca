import { currencyOfCountry, isCurrency } from '#values/currency.ts';
import { crossRate, type DisplayCurrency, type Presentation } from '#values/exchange.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { Reference } from './reference.ts';

/** What showing amounts asks; the dependencies of the services fit. */
export interface PresentationSources {
  readonly settings: () => Pick<StoreSettings, 'storeCurrencyCode' | 'displayPricesIncTax'>;
  readonly reference: Pick<Reference, 'exchangeRates'>;
}

/** What choosing a currency for a country asks beside that. */
export interface CurrencySources extends PresentationSources {
  readonly settings: () => Pick<
    StoreSettings,
    'storeCurrencyCode' | 'displayPricesIncTax' | 'countryCurrencies'
  >;
}

/** The rate at which a currency can be shown: its units for one of the store's; null where there is none. */
export const displayRate = (
  { settings, reference }: PresentationSources,
  currency: string,
): string | null => {
  const { storeCurrencyCode } = settings();
  if (currency === storeCurrencyCode) return '1';
  const { rates } = reference.exchangeRates.current();
  return rates && crossRate(rates, storeCurrencyCode, currency);
};

/**
 * The currency that a shopper is shown, and its rate: the one that the cookie `shop_currency` names, else the store's.
 * A currency without a rate is the store's, too (docs/rules/currency.md#whose).
 */
const displayCurrency = (sources: PresentationSources, wanted: string | undefined): DisplayCurrency => {
  const currency = wanted?.toUpperCase() ?? '';
  const rate = isCurrency(currency) ? displayRate(sources, currency) : null;
  return rate === null ? { currency: sources.settings().storeCurrencyCode, rate: '1' } : { currency, rate };
};

/** How amounts are shown to a shopper whose cookie `shop_currency` says this. */
export const presentationFor = (sources: PresentationSources, wanted: string | undefined): Presentation => {
  const { storeCurrencyCode, displayPricesIncTax } = sources.settings();
  return {
    storeCurrency: storeCurrencyCode,
    display: displayCurrency(sources, wanted),
    displayPricesIncTax,
  };
};

/** The same for presentations that show every amount alike. */
export const presentationKey = ({ storeCurrency, display, displayPricesIncTax }: Presentation): string =>
  `${storeCurrency} ${display.currency} ${display.rate} ${displayPricesIncTax ? 'gross' : 'net'}`;

/** Whether the shop has any rate: without one it has one currency. */
export const hasRates = ({ reference }: Pick<PresentationSources, 'reference'>): boolean => {
  const { rates } = reference.exchangeRates.current();
  return rates !== null && Object.keys(rates.rates).length > 0;
};

/**
 * The currency that goes with a country: the shop's own word, else the usual one, else the store's. Without any rate
 * the shop has one currency (docs/rules/currency.md#countries).
 */
export const currencyFor = (sources: CurrencySources, countryCode: string): string => {
  const { storeCurrencyCode, countryCurrencies } = sources.settings();
  if (!hasRates(sources)) return storeCurrencyCode;
  return countryCurrencies[countryCode] ?? currencyOfCountry(countryCode) ?? storeCurrencyCode;
};
