import { z } from 'zod';
import { isCurrency } from '#values/currency.ts';
import { nearest } from '#values/nearest-name.ts';
import { isCountry } from '#values/region.ts';

const count = z.int().min(0);
const text = z.string().max(250);
const minutes = z.int().min(1);
/** Minutes. */
const A_DAY = 1440;
/** Days. */
const A_HUNDRED_YEARS = 36_500;

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const timeZone = z.string().refine(isTimeZone, 'an IANA time zone was expected, such as Europe/London');
const currency = z
  .string()
  .trim()
  .toUpperCase()
  .refine((code) => isCurrency(code), 'an ISO 4217 currency code was expected');
const country = z
  .string()
  .trim()
  .toUpperCase()
  .refine((code) => isCountry(code), 'an ISO 3166-1 country code was expected');

const webAddress = z
  .url({ protocol: /^https?$/, error: 'an http or https address was expected' })
  .max(2000)
  .nullable();
const html = z.string().max(50_000).nullable();

const referralDiscount = z.object({
  parameter: text.min(1).default('pv2'),
  keyUrl: webAddress.default(null),
  merchantIds: z.array(text.min(1)).max(100).default([]),
});

const passwordRules = z.object({
  minLength: z.int().min(1).exactOptional(),
  requireDigit: z.boolean().exactOptional(),
  requireUpper: z.boolean().exactOptional(),
  requireLower: z.boolean().exactOptional(),
  requireNonAlphanumeric: z.boolean().exactOptional(),
});

/**
 * Settings of a store as configuration and store files give them, each of them optional (docs/rules/settings.md#store,
 * docs/rules/settings.md#precedence).
 */
export const storeSettingsInput = z.object({
  name: text.min(1).exactOptional(),
  description: z.string().max(50_000).nullable().exactOptional(),
  websiteUrl: webAddress.exactOptional(),
  reportingTimeZone: timeZone.exactOptional(),
  storeCurrencyCode: currency.exactOptional(),
  defaultShippingCountry: country.nullable().exactOptional(),
  displayPricesIncTax: z.boolean().exactOptional(),
  countryCurrencies: z.record(country, currency).exactOptional(),
  showStockLevels: z.boolean().exactOptional(),
  lowStockThreshold: count.exactOptional(),
  invoiceNumberPrefix: z.string().max(20).exactOptional(),
  shippingAutoSelectStrategy: z.enum(['cheapest', 'fastest', 'cheapest-then-fastest']).exactOptional(),
  isShippingTaxable: z.boolean().exactOptional(),
  shippingTaxGroupId: z.guid().toLowerCase().nullable().exactOptional(),
  maxLineQuantity: z.int().min(1).exactOptional(),
  maxBasketLines: z.int().min(1).exactOptional(),
  newBasketsPerMinute: count.exactOptional(),
  basketRetentionDays: z.int().min(1).max(A_HUNDRED_YEARS).exactOptional(),
  billingPhoneRequired: z.boolean().exactOptional(),
  requireTermsAcceptance: z.boolean().exactOptional(),
  termsHtml: html.exactOptional(),
  privacyHtml: html.exactOptional(),
  discountAttemptsPerMinute: z.int().min(1).exactOptional(),
  unpaidHoldMinutes: minutes.exactOptional(),
  unpaidInvoiceExpiryMinutes: minutes.exactOptional(),
  confirmationCookieHours: z.int().min(1).exactOptional(),
  defaultRounding: z.literal('away-from-zero').exactOptional(),
  maxProductOptions: z.int().min(1).exactOptional(),
  maxOptionValuesPerOption: z.int().min(1).exactOptional(),
  sessionSlidingTimeoutMinutes: count.exactOptional(),
  sessionAbsoluteTimeoutMinutes: count.exactOptional(),
  exchangeRateCacheMinutes: minutes.exactOptional(),
  shippingQuoteCacheMinutes: minutes.exactOptional(),
  password: passwordRules.exactOptional(),
  referralDiscount: referralDiscount.nullable().exactOptional(),
  downloadLinkExpiryDays: z.int().max(A_HUNDRED_YEARS).exactOptional(),
  maxDownloadsPerLink: count.exactOptional(),
  recoveryAttemptsPerMinute: z.int().min(1).exactOptional(),
  maxSuggestionsPerLocation: z.int().min(1).exactOptional(),
  cacheDurationSeconds: z
    .literal(300, '300 was expected: nothing is cached, whatever changes holds at once')
    .exactOptional(),
  eventRetentionDays: z.int().min(1).exactOptional(),
  enablePostPurchase: z.boolean().exactOptional(),
  postPurchaseFulfillmentHoldMinutes: minutes.max(A_DAY).exactOptional(),
});

type SettingName = keyof typeof storeSettingsInput.shape;
const settingNames = Object.keys(storeSettingsInput.shape);

const isNullable = (name: string): boolean =>
  storeSettingsInput.shape[name as SettingName].safeParse(null).success;

const unknownNames = (names: readonly string[]): string =>
  names
    .map((name) => `${name}: there is no such setting; the nearest is ${nearest(name, settingNames).name}`)
    .join('; ');

/**
 * Settings to change: each that is named gets the value, or the one from before it had one of its own where null is
 * not itself a value (docs/rules/settings.md#changing).
 */
export const settingsBody = z
  .strictObject(
    Object.fromEntries(
      Object.entries(storeSettingsInput.shape).map(([name, schema]) => [name, schema.nullable()]),
    ),
    { error: (issue) => (issue.code === 'unrecognized_keys' ? unknownNames(issue.keys) : undefined) },
  )
  .transform((given) => {
    const isTakenBack = (name: string): boolean => given[name] === null && !isNullable(name);
    const settings = Object.entries(given).filter(([name]) => !isTakenBack(name));
    return {
      settings: Object.fromEntries(settings),
      takenBack: Object.keys(given).filter(isTakenBack),
    };
  });

export const settingsResponse = z.object({
  items: z.array(
    z.object({
      key: z.string(),
      value: z.unknown(),
      default: z.unknown(),
      source: z.enum(['configuration', 'store', 'default']),
    }),
  ),
});

export const regionsQuery = z.object({ countryCode: country });
/** What an editor of descriptions has to know. */
export const descriptionEditorResponse = z.object({
  format: z.literal('html'),
  /** Characters. */
  maxLength: z.int(),
  allowedTags: z.array(z.string()),
  /** By tag; `*` stands for each. */
  allowedAttributes: z.record(z.string(), z.array(z.string())),
  linkSchemes: z.array(z.string()),
  imageSchemes: z.array(z.string()),
});
export const productOptionsResponse = z.object({
  maxProductOptions: z.int(),
  maxOptionValuesPerOption: z.int(),
});
