import { z } from 'zod';
import { isCurrency } from '#values/currency.ts';
import { isCountry } from '#values/region.ts';

const count = z.int().min(0);
const text = z.string().max(250);
const minutes = z.int().min(1);

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
  reportingTimeZone: timeZone.exactOptional(),
  storeCurrencyCode: currency.exactOptional(),
  defaultShippingCountry: country.nullable().exactOptional(),
  displayPricesIncTax: z.boolean().exactOptional(),
  showStockLevels: z.boolean().exactOptional(),
  lowStockThreshold: count.exactOptional(),
  invoiceNumberPrefix: z.string().max(20).exactOptional(),
  shippingAutoSelectStrategy: z.enum(['cheapest', 'fastest', 'cheapest-then-fastest']).exactOptional(),
  isShippingTaxable: z.boolean().exactOptional(),
  shippingTaxGroupId: z.guid().toLowerCase().nullable().exactOptional(),
  maxLineQuantity: z.int().min(1).exactOptional(),
  maxBasketLines: z.int().min(1).exactOptional(),
  billingPhoneRequired: z.boolean().exactOptional(),
  requireTermsAcceptance: z.boolean().exactOptional(),
  discountAttemptsPerMinute: z.int().min(1).exactOptional(),
  unpaidHoldMinutes: minutes.exactOptional(),
  unpaidInvoiceExpiryMinutes: minutes.exactOptional(),
  confirmationCookieHours: z.int().min(1).exactOptional(),
  defaultRounding: z.literal('away-from-zero').exactOptional(),
  maxProductOptions: z.int().min(1).exactOptional(),
  maxOptionValuesPerOption: z.int().min(1).exactOptional(),
  sessionSlidingTimeoutMinutes: minutes.exactOptional(),
  sessionAbsoluteTimeoutMinutes: minutes.exactOptional(),
  exchangeRateCacheMinutes: minutes.exactOptional(),
  shippingQuoteCacheMinutes: minutes.exactOptional(),
  password: passwordRules.exactOptional(),
  downloadLinkExpiryDays: z.int().exactOptional(),
  maxDownloadsPerLink: count.exactOptional(),
  recoveryAttemptsPerMinute: z.int().min(1).exactOptional(),
  maxSuggestionsPerLocation: z.int().min(1).exactOptional(),
  cacheDurationSeconds: count.exactOptional(),
  eventRetentionDays: z.int().min(1).exactOptional(),
  enablePostPurchase: z.boolean().exactOptional(),
  postPurchaseFulfillmentHoldMinutes: minutes.exactOptional(),
});
