import { z } from 'zod';
import { isCurrency } from '#values/currency.ts';
import { nearest } from '#values/nearest-name.ts';
import { isCountry } from '#values/region.ts';
import {
  settingNames,
  storeSettings,
  type GivenSettings,
  type PasswordRules,
  type SettingFormats,
  type SettingName,
} from '#values/store-settings.ts';

const text = z.string().max(250);
const longText = z.string().max(50_000).nullable();
const A_DAY_OF_MINUTES = 1440;
const A_HUNDRED_YEARS_OF_DAYS = 36_500;
const hours = z.number().max(A_HUNDRED_YEARS_OF_DAYS * 24);

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const timeZone = z.string().refine(isTimeZone, 'must be an IANA time zone, such as Europe/London');
const currency = z
  .string()
  .trim()
  .toUpperCase()
  .refine((code) => isCurrency(code), 'must be an ISO 4217 currency code');
const country = z
  .string()
  .trim()
  .toUpperCase()
  .refine((code) => isCountry(code), 'must be an ISO 3166-1 country code');

const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .max(2000)
  .nullable();

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

type Given<Format extends keyof SettingFormats> = Format extends 'password'
  ? Partial<PasswordRules>
  : SettingFormats[Format];

const formats: { readonly [Format in keyof SettingFormats]: z.ZodType<Given<Format>> } = {
  flag: z.boolean(),
  count: z.int().min(0),
  positive: z.int().min(1),
  days: z.int().min(1).max(A_HUNDRED_YEARS_OF_DAYS),
  wholeDays: z.int().max(A_HUNDRED_YEARS_OF_DAYS),
  hours: hours.min(0),
  someHours: hours.positive(),
  recoveryMails: z.int().min(0).max(3),
  linkBase: z.string().max(2000),
  minutesOfDay: z.int().min(1).max(A_DAY_OF_MINUTES),
  name: text.min(1),
  prefix: z.string().max(20),
  longText,
  webAddress,
  currency,
  country: country.nullable(),
  countryCurrencies: z.record(country, currency),
  timeZone,
  id: z.guid().toLowerCase().nullable(),
  shippingStrategy: z.enum(['cheapest', 'fastest', 'cheapest-then-fastest']),
  rounding: z.literal('away-from-zero'),
  noCaching: z.literal(300, 'must be 300: nothing is cached, whatever changes holds at once'),
  password: passwordRules,
  referralDiscount: referralDiscount.nullable(),
};

/** Settings as configuration and store files give them, each of them optional (docs/rules/settings.md#store). */
export const storeSettingsInput = z.object(
  Object.fromEntries(
    settingNames.map((name) => [name, formats[storeSettings[name][0]].exactOptional()]),
  ) as unknown as {
    readonly [Name in SettingName]: z.ZodExactOptional<z.ZodType<Given<(typeof storeSettings)[Name][0]>>>;
  },
);

const OF_ABANDONED_CHECKOUTS = 'abandonedCheckout.';

/** Settings of abandoned checkouts: a section of its own (docs/rules/settings.md#abandoned-checkouts). */
export const abandonedCheckoutInput = z.object(
  Object.fromEntries(
    Object.entries(storeSettingsInput.shape)
      .filter(([name]) => name.startsWith(OF_ABANDONED_CHECKOUTS))
      .map(([name, schema]) => [name.slice(OF_ABANDONED_CHECKOUTS.length), schema]),
  ),
);

/** What such a section gives, as settings of the store. */
export const abandonedCheckoutSettings = (given: z.output<typeof abandonedCheckoutInput>): GivenSettings =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [`${OF_ABANDONED_CHECKOUTS}${name}`, value]),
  );

const isNullable = (name: string): boolean =>
  formats[storeSettings[name as SettingName][0]].safeParse(null).success;

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
