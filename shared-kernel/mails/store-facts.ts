import type { StoreSettings } from '#values/store-settings.ts';

/** What `store.*` names. */
export interface StoreFacts {
  readonly name: string;
  readonly description: string | null;
  /** Without a slash at its end; null: not known. */
  readonly websiteUrl: string | null;
  readonly currencyCode: string;
  readonly timeZone: string;
}

export const storeFacts = (
  settings: Pick<
    StoreSettings,
    'name' | 'description' | 'websiteUrl' | 'storeCurrencyCode' | 'reportingTimeZone'
  >,
): StoreFacts => ({
  name: settings.name,
  description: settings.description,
  websiteUrl: settings.websiteUrl?.replace(/\/+$/, '') ?? null,
  currencyCode: settings.storeCurrencyCode,
  timeZone: settings.reportingTimeZone,
});

/** What `config.*` names: these and nothing else of the configuration, which holds credentials. */
export interface ConfigFacts {
  /** The sender of all mails; null where mails are files. */
  readonly from: string | null;
  /** How long a link of a recovery mail works. */
  readonly recoveryExpiryDays: number;
}

export const configFacts = (
  from: string | null,
  settings: Pick<StoreSettings, 'abandonedCheckout.recoveryExpiryDays'>,
): ConfigFacts => ({ from, recoveryExpiryDays: settings['abandonedCheckout.recoveryExpiryDays'] });

/** Values of both, for the list of tokens and to check expressions against. */
export const sampleStore: StoreFacts = {
  name: 'Harbour & Co',
  description: 'Things for the kitchen',
  websiteUrl: 'https://shop.example.com',
  currencyCode: 'GBP',
  timeZone: 'Europe/London',
};

export const sampleConfig: ConfigFacts = { from: 'shop@example.com', recoveryExpiryDays: 30 };
