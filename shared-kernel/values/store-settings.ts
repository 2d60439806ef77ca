/** What a password of a customer must have. */
export interface PasswordRules {
  readonly minLength: number;
  readonly requireDigit: boolean;
  readonly requireUpper: boolean;
  readonly requireLower: boolean;
  readonly requireNonAlphanumeric: boolean;
}

/** Where the keys come from by which advertisers sign a referral, and whose shop this is to them. */
export interface ReferralDiscountSettings {
  readonly parameter: string;
  readonly keyUrl: string | null;
  readonly merchantIds: readonly string[];
}

/** The settings of a store that rules depend on (docs/rules/settings.md#store, docs/rules/settings.md#precedence). */
export interface StoreSettings {
  readonly name: string;
  readonly description: string | null;
  readonly websiteUrl: string | null;
  readonly storeCurrencyCode: string;
  /** IANA name; decides on which day a sale counts. */
  readonly reportingTimeZone: string;
  readonly defaultShippingCountry: string | null;
  readonly displayPricesIncTax: boolean;
  /** Currencies by country, where they are not the usual ones. */
  readonly countryCurrencies: Readonly<Record<string, string>>;
  readonly showStockLevels: boolean;
  readonly lowStockThreshold: number;
  readonly invoiceNumberPrefix: string;
  readonly shippingAutoSelectStrategy: 'cheapest' | 'fastest' | 'cheapest-then-fastest';
  readonly isShippingTaxable: boolean;
  readonly shippingTaxGroupId: string | null;
  readonly maxLineQuantity: number;
  readonly maxBasketLines: number;
  /** From one client address; 0: no limit. */
  readonly newBasketsPerMinute: number;
  /** How long a basket without an order is kept in sight after its last change. */
  readonly basketRetentionDays: number;
  readonly billingPhoneRequired: boolean;
  readonly requireTermsAcceptance: boolean;
  readonly discountAttemptsPerMinute: number;
  /** How long an invoice that nobody tries to pay holds its stock. */
  readonly unpaidHoldMinutes: number;
  /** How long one is held whose payment may still arrive. */
  readonly unpaidInvoiceExpiryMinutes: number;
  readonly confirmationCookieHours: number;
  readonly termsHtml: string | null;
  readonly privacyHtml: string | null;
  readonly defaultRounding: 'away-from-zero';
  readonly maxProductOptions: number;
  readonly maxOptionValuesPerOption: number;
  readonly sessionSlidingTimeoutMinutes: number;
  readonly sessionAbsoluteTimeoutMinutes: number;
  readonly exchangeRateCacheMinutes: number;
  readonly shippingQuoteCacheMinutes: number;
  readonly password: PasswordRules;
  readonly referralDiscount: ReferralDiscountSettings | null;
  readonly downloadLinkExpiryDays: number;
  readonly maxDownloadsPerLink: number;
  readonly recoveryAttemptsPerMinute: number;
  readonly maxSuggestionsPerLocation: number;
  readonly cacheDurationSeconds: number;
  readonly eventRetentionDays: number;
  readonly enablePostPurchase: boolean;
  readonly postPurchaseFulfillmentHoldMinutes: number;
}

export const defaultStoreSettings: StoreSettings = {
  name: 'Tillroll',
  description: null,
  websiteUrl: null,
  storeCurrencyCode: 'USD',
  reportingTimeZone: 'UTC',
  defaultShippingCountry: null,
  displayPricesIncTax: false,
  countryCurrencies: {},
  showStockLevels: false,
  lowStockThreshold: 10,
  invoiceNumberPrefix: 'INV-',
  shippingAutoSelectStrategy: 'cheapest',
  isShippingTaxable: false,
  shippingTaxGroupId: null,
  maxLineQuantity: 9999,
  maxBasketLines: 500,
  newBasketsPerMinute: 60,
  basketRetentionDays: 90,
  billingPhoneRequired: false,
  requireTermsAcceptance: false,
  discountAttemptsPerMinute: 30,
  unpaidHoldMinutes: 60,
  unpaidInvoiceExpiryMinutes: 1440,
  confirmationCookieHours: 24,
  termsHtml: null,
  privacyHtml: null,
  defaultRounding: 'away-from-zero',
  maxProductOptions: 5,
  maxOptionValuesPerOption: 20,
  sessionSlidingTimeoutMinutes: 30,
  sessionAbsoluteTimeoutMinutes: 240,
  exchangeRateCacheMinutes: 60,
  shippingQuoteCacheMinutes: 10,
  password: {
    minLength: 10,
    requireDigit: false,
    requireUpper: false,
    requireLower: false,
    requireNonAlphanumeric: false,
  },
  referralDiscount: null,
  downloadLinkExpiryDays: 30,
  maxDownloadsPerLink: 0,
  recoveryAttemptsPerMinute: 10,
  maxSuggestionsPerLocation: 3,
  cacheDurationSeconds: 300,
  eventRetentionDays: 90,
  enablePostPurchase: true,
  postPurchaseFulfillmentHoldMinutes: 5,
};

/** Settings as one source gives them: some of them, and of those with parts some parts. */
export type GivenSettings = {
  readonly [Name in keyof StoreSettings]?: Name extends 'password'
    ? Partial<PasswordRules>
    : StoreSettings[Name];
};

/** Settings with what another source says put over them; the rules for passwords one by one. */
export const settingsOver = (below: StoreSettings, given: GivenSettings): StoreSettings => ({
  ...below,
  ...given,
  password: given.password ? { ...below.password, ...given.password } : below.password,
});
