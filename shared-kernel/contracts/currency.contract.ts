import { z } from 'zod';
import type { RatesView } from '#entities/exchange-rate.providers.ts';
import { currencyCodes, decimalsOf, isCurrency, symbolOf } from '#values/currency.ts';
import {
  activeRateProvider,
  rateProviders,
  type RateProviderDescription,
} from '#values/exchange-rate-providers.ts';
import { isRate } from '#values/exchange.ts';
import { shownConfiguration } from '#values/provider-field.ts';
import { isCountry } from '#values/region.ts';

import { pageSchema } from './listing.contract.ts';
import { storefrontEnvelope } from './storefront.contract.ts';

/** The shopper's currency and country, and where exchange rates come from (docs/rules/currency.md). */

const currencyCode = z
  .string()
  .trim()
  .toUpperCase()
  .refine((code) => isCurrency(code), 'must be an ISO 4217 currency code');

/** One of two names of a field, under the first. */
const eitherName = <Schema extends z.ZodType>(name: string, schema: Schema) =>
  z.preprocess((body) => {
    if (typeof body !== 'object' || body === null) return body;
    const given = body as Readonly<Record<string, unknown>>;
    return { ...given, [name]: given[name] ?? given['code'] };
  }, schema);

/** POST /currency. `code` is another name for `currencyCode`. */
export const currencyBody = eitherName('currencyCode', z.object({ currencyCode }));

/** POST /shipping/country. `code` is another name for `countryCode`. */
export const countryBody = eitherName(
  'countryCode',
  z.object({
    countryCode: z.string().trim().toUpperCase().refine(isCountry, 'must be an ISO 3166-1 country code'),
    regionCode: z.string().trim().toUpperCase().max(50).nullish(),
  }),
);

const currencyFields = {
  currencyCode: z.string(),
  currencySymbol: z.string(),
  decimalPlaces: z.int(),
};

export const currencyResponse = z.object({ ...storefrontEnvelope, ...currencyFields });

/** A currency, for people and for arithmetic. */
export const currencyDetails = (currency: string) => ({
  currencyCode: currency,
  currencySymbol: symbolOf(currency),
  decimalPlaces: decimalsOf(currency),
});

const placeFields = {
  countryCode: z.string(),
  countryName: z.string(),
  regionCode: z.string().nullable(),
  regionName: z.string().nullable(),
};

export const countryResponse = z.object({
  ...storefrontEnvelope,
  ...placeFields,
  code: z.string(),
  name: z.string(),
});

export const chosenCountryResponse = z.object({
  ...storefrontEnvelope,
  ...placeFields,
  ...currencyFields,
  country: z.object({ code: z.string(), name: z.string() }),
  currency: z.object(currencyFields),
});

const rate = z.number().refine(isRate, 'must be a number above 0, at most a thousand million');

/** The store's own currency has no rate. */
const isOneAtHome = (currency: string, value: number, own: string): boolean =>
  currency !== own || value === 1;
const oneAtHome = "must be 1: it is the store's own currency";

/** An entry of the list `exchangeRates` of a store file. */
export const manualRateEntry = (storeCurrency: () => string) =>
  z
    .object({ key: currencyCode, rate })
    .refine((given) => isOneAtHome(given.key, given.rate, storeCurrency()), {
      path: ['rate'],
      error: oneAtHome,
    });

const manualConfiguration = (storeCurrency: () => string) =>
  z.object({
    rates: z
      .record(currencyCode, rate)
      .refine((rates) => Object.keys(rates).length <= currencyCodes.length)
      .superRefine((rates, context) => {
        const own = storeCurrency();
        if (isOneAtHome(own, rates[own] ?? 1, own)) return;
        context.addIssue({ code: 'custom', path: [own], message: oneAtHome });
      }),
  });

const webAddress = z
  .string()
  .trim()
  .max(2000)
  .refine(
    (text) => text === '' || (/^https?:\/\//i.test(text) && URL.canParse(text)),
    'must be an http or https address',
  );

/** Empty, like nothing at all, is the public one. */
const frankfurterConfiguration = z
  .object({ url: webAddress.nullish() })
  .transform(({ url }): Record<string, unknown> => (url ? { url } : {}));

/** What a provider may be set to; `configuration` of PUT …/{alias}/settings. */
export const providerConfiguration = (
  alias: string,
  storeCurrency: () => string,
): z.ZodType<Record<string, unknown>> =>
  alias === 'manual' ? manualConfiguration(storeCurrency) : frankfurterConfiguration;

/** PUT …/{alias}/settings. What `configuration` holds is the provider's business. */

/** POST …/refresh says nothing. */
export const refreshBody = z.object({}).optional();

const descriptionShape = {
  alias: z.string(),
  displayName: z.string(),
  description: z.string(),
  supportsHistoricalRates: z.boolean(),
  supportedCurrencies: z.array(z.string()),
};
export const availableProvidersResponse = z.array(z.object(descriptionShape));

export const rateProviderSchema = z.object({
  ...descriptionShape,
  isActive: z.boolean(),
  configuration: z.record(z.string(), z.unknown()),
  /** Of the active one: when its rates came, and what has gone wrong since. */
  lastFetchedAt: z.string().nullable(),
  lastError: z.string().nullable(),
  consecutiveFailures: z.int(),
});
export type RateProviderResponse = z.output<typeof rateProviderSchema>;
export const rateProviderPage = pageSchema(rateProviderSchema);

export const messageResponse = z.object({ success: z.boolean(), message: z.string() });

export const snapshotResponseSchema = z.object({
  providerAlias: z.string(),
  baseCurrency: z.string(),
  rates: z.record(z.string(), z.number()),
  timestampUtc: z.string(),
  lastFetchedAt: z.string(),
});

/** What anybody may know of a provider before it is set. */
export const providerDescription = ({ fields: _, ...description }: RateProviderDescription) => ({
  ...description,
  supportedCurrencies: [...description.supportedCurrencies],
});

/** A provider as the backoffice shows it. `named`: the one that the configuration names. */
export const rateProviderResponse = (
  description: RateProviderDescription,
  view: RatesView,
  named: string | null,
): RateProviderResponse => {
  const { alias } = description;
  const failure = view.failure?.provider === alias ? view.failure : null;
  return {
    ...providerDescription(description),
    isActive: activeRateProvider(named, view.provider) === alias,
    configuration: shownConfiguration(description.fields, view.configurations[alias] ?? {}),
    lastFetchedAt: view.rates?.provider === alias ? view.rates.fetchedAt : null,
    lastError: failure?.reason ?? null,
    consecutiveFailures: failure?.consecutiveFailures ?? 0,
  };
};

/** The rates in force; null without any. */
export const snapshotResponse = ({ rates: snapshot }: RatesView) =>
  snapshot && {
    providerAlias: snapshot.provider,
    baseCurrency: snapshot.baseCurrency,
    rates: Object.fromEntries(Object.entries(snapshot.rates).map(([code, text]) => [code, Number(text)])),
    timestampUtc: snapshot.quotedAt,
    lastFetchedAt: snapshot.fetchedAt,
  };

export const rateProviderNamed = (alias: string): RateProviderDescription | undefined =>
  rateProviders.find((one) => one.alias === alias.toLowerCase());
