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

/** The formats of settings, and what their values are; `contracts/settings.contract.ts` checks them. */
export interface SettingFormats {
  readonly flag: boolean;
  /** Whole numbers: from 0, from 1, of days, and of minutes up to a day. */
  readonly count: number;
  readonly positive: number;
  readonly days: number;
  readonly minutesOfDay: number;
  readonly wholeDays: number;
  /** From 0, and above 0; in parts of an hour, too. */
  readonly hours: number;
  readonly someHours: number;
  readonly recoveryMails: number;
  readonly name: string;
  readonly prefix: string;
  readonly longText: string | null;
  readonly linkBase: string;
  readonly webAddress: string | null;
  readonly currency: string;
  readonly country: string | null;
  readonly countryCurrencies: Readonly<Record<string, string>>;
  readonly timeZone: string;
  readonly id: string | null;
  readonly shippingStrategy: 'cheapest' | 'fastest' | 'cheapest-then-fastest';
  readonly rounding: 'away-from-zero';
  readonly noCaching: number;
  readonly password: PasswordRules;
  readonly referralDiscount: ReferralDiscountSettings | null;
}

type Setting = {
  readonly [Format in keyof SettingFormats]: readonly [format: Format, byDefault: SettingFormats[Format]];
}[keyof SettingFormats];

/**
 * The settings of a store that rules depend on, each with its format and its default (docs/rules/settings.md#store,
 * docs/rules/settings.md#precedence). One line here is all that a setting needs.
 */
export const storeSettings = {
  name: ['name', 'Tillroll'],
  description: ['longText', null],
  websiteUrl: ['webAddress', null],
  storeCurrencyCode: ['currency', 'USD'],
  /** IANA name; decides on which day a sale counts. */
  reportingTimeZone: ['timeZone', 'UTC'],
  defaultShippingCountry: ['country', null],
  displayPricesIncTax: ['flag', false],
  /** Currencies by country, where they are not the usual ones. */
  countryCurrencies: ['countryCurrencies', {}],
  showStockLevels: ['flag', false],
  lowStockThreshold: ['count', 10],
  invoiceNumberPrefix: ['prefix', 'INV-'],
  shippingAutoSelectStrategy: ['shippingStrategy', 'cheapest'],
  isShippingTaxable: ['flag', false],
  shippingTaxGroupId: ['id', null],
  maxLineQuantity: ['positive', 9999],
  maxBasketLines: ['positive', 500],
  /** From one client address; 0: no limit. */
  newBasketsPerMinute: ['count', 60],
  /** How long a basket without an order is kept in sight after its last change. */
  basketRetentionDays: ['days', 90],
  billingPhoneRequired: ['flag', false],
  requireTermsAcceptance: ['flag', false],
  discountAttemptsPerMinute: ['positive', 30],
  /** How long an invoice without a payment attempt holds its stock. */
  unpaidHoldMinutes: ['positive', 60],
  /** How long one is held whose payment may still arrive. */
  unpaidInvoiceExpiryMinutes: ['positive', 1440],
  confirmationCookieHours: ['positive', 24],
  termsHtml: ['longText', null],
  privacyHtml: ['longText', null],
  defaultRounding: ['rounding', 'away-from-zero'],
  maxProductOptions: ['positive', 5],
  maxOptionValuesPerOption: ['positive', 20],
  sessionSlidingTimeoutMinutes: ['count', 30],
  sessionAbsoluteTimeoutMinutes: ['count', 240],
  exchangeRateCacheMinutes: ['positive', 60],
  shippingQuoteCacheMinutes: ['positive', 10],
  password: [
    'password',
    {
      minLength: 10,
      requireDigit: false,
      requireUpper: false,
      requireLower: false,
      requireNonAlphanumeric: false,
    },
  ],
  referralDiscount: ['referralDiscount', null],
  /** 0 or less: never. */
  downloadLinkExpiryDays: ['wholeDays', 30],
  maxDownloadsPerLink: ['count', 0],
  recoveryAttemptsPerMinute: ['positive', 10],
  maxSuggestionsPerLocation: ['positive', 3],
  cacheDurationSeconds: ['noCaching', 300],
  eventRetentionDays: ['positive', 90],
  enablePostPurchase: ['flag', true],
  postPurchaseFulfillmentHoldMinutes: ['minutesOfDay', 5],
  'abandonedCheckout.abandonmentThresholdHours': ['someHours', 1],
  /** Less than 1 counts as 1. */
  'abandonedCheckout.recoveryExpiryDays': ['wholeDays', 30],
  /** Less than 5 counts as 5. */
  'abandonedCheckout.checkIntervalMinutes': ['positive', 15],
  /** Of the links in mails: an address, or a path of the store's website; blank: the default. */
  'abandonedCheckout.recoveryUrlBase': ['linkBase', '/checkout/recover'],
  /** Links restore nothing until a button is pressed. */
  'abandonedCheckout.confirmRecovery': ['flag', false],
  'abandonedCheckout.firstEmailDelayHours': ['hours', 1],
  'abandonedCheckout.reminderEmailDelayHours': ['hours', 24],
  'abandonedCheckout.finalEmailDelayHours': ['hours', 48],
  'abandonedCheckout.maxRecoveryEmails': ['recoveryMails', 3],
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof storeSettings;

export type StoreSettings = {
  readonly [Name in SettingName]: SettingFormats[(typeof storeSettings)[Name][0]];
};

/** How long an unpaid invoice is kept. */
export type UnpaidLimits = Pick<StoreSettings, 'unpaidHoldMinutes' | 'unpaidInvoiceExpiryMinutes'>;

export const settingNames = Object.keys(storeSettings) as readonly SettingName[];

export const defaultStoreSettings = Object.fromEntries(
  Object.entries(storeSettings).map(([name, [, byDefault]]) => [name, byDefault]),
) as unknown as StoreSettings;

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
