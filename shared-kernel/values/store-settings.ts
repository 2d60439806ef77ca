/** The settings of a store that rules depend on (docs/rules/settings.md#store, docs/rules/settings.md#precedence). */
export interface StoreSettings {
  readonly name: string;
  readonly storeCurrencyCode: string;
  /** IANA name; decides on which day a sale counts. */
  readonly reportingTimeZone: string;
  readonly defaultShippingCountry: string | null;
  readonly displayPricesIncTax: boolean;
  readonly showStockLevels: boolean;
  readonly lowStockThreshold: number;
  readonly invoiceNumberPrefix: string;
  readonly shippingAutoSelectStrategy: 'cheapest' | 'fastest' | 'cheapest-then-fastest';
  readonly isShippingTaxable: boolean;
  readonly shippingTaxGroupId: string | null;
  readonly maxLineQuantity: number;
  readonly maxBasketLines: number;
  readonly billingPhoneRequired: boolean;
  readonly requireTermsAcceptance: boolean;
  readonly discountAttemptsPerMinute: number;
  /** How long an invoice that nobody tries to pay holds its stock. */
  readonly unpaidHoldMinutes: number;
  /** How long one is held whose payment may still arrive. */
  readonly unpaidInvoiceExpiryMinutes: number;
  readonly confirmationCookieHours: number;
}

export const defaultStoreSettings: StoreSettings = {
  name: 'Tillroll',
  storeCurrencyCode: 'USD',
  reportingTimeZone: 'UTC',
  defaultShippingCountry: null,
  displayPricesIncTax: false,
  showStockLevels: false,
  lowStockThreshold: 10,
  invoiceNumberPrefix: 'INV-',
  shippingAutoSelectStrategy: 'cheapest',
  isShippingTaxable: false,
  shippingTaxGroupId: null,
  maxLineQuantity: 9999,
  maxBasketLines: 500,
  billingPhoneRequired: false,
  requireTermsAcceptance: false,
  discountAttemptsPerMinute: 30,
  unpaidHoldMinutes: 60,
  unpaidInvoiceExpiryMinutes: 1440,
  confirmationCookieHours: 24,
};
