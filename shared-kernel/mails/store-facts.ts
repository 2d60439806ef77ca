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

/** Who sends and is told where mails are files, which are never received. */
export const NOBODY = 'no-reply@localhost';

/** What `config.*` names: these and nothing else of the configuration, which holds credentials. */
export interface ConfigFacts {
  /** The sender of all mails; null where mails are files. */
  readonly from: string | null;
  /** Who is told when the shop itself needs attention. */
  readonly operatorEmail: string;
  /** How long a link of a recovery mail works. */
  readonly recoveryExpiryDays: number;
}

/** The address of `Ada <ada@example.com>`. */
const addressOf = (mailbox: string): string => /<([^<>]+)>$/.exec(mailbox)?.[1] ?? mailbox;

export const configFacts = (
  { from, operatorEmail }: { readonly from: string | null; readonly operatorEmail: string | null },
  settings: Pick<StoreSettings, 'abandonedCheckout.recoveryExpiryDays'>,
): ConfigFacts => ({
  from,
  operatorEmail: operatorEmail ?? addressOf(from ?? NOBODY),
  recoveryExpiryDays: settings['abandonedCheckout.recoveryExpiryDays'],
});

/** Values of both, for the list of tokens and to check expressions against. */
export const sampleStore: StoreFacts = {
  name: 'Harbour & Co',
  description: 'Things for the kitchen',
  websiteUrl: 'https://shop.example.com',
  currencyCode: 'GBP',
  timeZone: 'Europe/London',
};

export const sampleConfig: ConfigFacts = {
  from: 'shop@example.com',
  operatorEmail: 'operator@example.com',
  recoveryExpiryDays: 30,
};
