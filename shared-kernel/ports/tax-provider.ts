import type { ProviderField } from '#values/provider-field.ts';

/** A line to be taxed. Amounts in minor units of the request's currency, after discounts. */
export interface TaxRequestLine {
  readonly lineItemId: string;
  readonly sku: string;
  readonly quantity: number;
  readonly amount: number;
  readonly isTaxable: boolean;
}

/** What a provider is asked. */
export interface TaxRequest {
  /** Names what is taxed: the basket. */
  readonly reference: string;
  /** True when an order is being placed: the answer is what is charged. */
  readonly isFinal: boolean;
  readonly currency: string;
  readonly address: {
    readonly addressOne: string;
    readonly townCity: string;
    readonly regionCode: string | null;
    readonly postalCode: string;
    readonly countryCode: string;
  };
  readonly lines: readonly TaxRequestLine[];
  readonly shipping: number;
}

/** What a provider is set to, by the keys of its fields. */
export type TaxConfiguration = Readonly<Record<string, string | number>>;

/** Who says what tax is due (docs/rules/tax.md#providers). Adapters hold no business rule. */
export interface TaxProvider {
  readonly alias: string;
  readonly displayName: string;
  readonly fields: readonly ProviderField[];
  /**
   * The answer as JSON text, in parts as they come in: the caller stops reading when it takes too long or is too
   * large, and validates it. Throws where the provider cannot be reached. Null: the shop calculates by itself.
   */
  readonly calculate:
    | ((request: TaxRequest, configuration: TaxConfiguration, signal: AbortSignal) => AsyncIterable<string>)
    | null;
}
