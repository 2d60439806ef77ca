import type { ProviderField } from '#values/provider-field.ts';

/** A suggested address. `id` names it to the provider that suggested it. */
export interface AddressSuggestion {
  readonly id: string;
  readonly label: string;
  readonly description: string;
}

/** An address as a provider knows it. Names of country and region may be missing: the shop's catalogue has them. */
export interface LookedUpAddress {
  readonly company: string | null;
  readonly addressOne: string;
  readonly addressTwo: string | null;
  readonly townCity: string;
  readonly countyState: string | null;
  readonly regionCode: string | null;
  readonly postalCode: string;
  readonly countryCode: string | null;
}

/** Settings of a provider, by the keys of its fields. */
export type AddressLookupConfiguration = Readonly<Record<string, string>>;

export interface AddressQuery {
  /** Trimmed, of three characters at least. */
  readonly query: string;
  /** Upper case; null: anywhere. */
  readonly countryCode: string | null;
  /** From 1 to 20. */
  readonly limit: number;
  /** Joins the requests of one shopper who types; for providers that charge by it. */
  readonly sessionId: string | null;
}

export type SuggestedAddresses =
  | { readonly kind: 'suggested'; readonly suggestions: readonly AddressSuggestion[] }
  /** `reason` is for staff. */
  | { readonly kind: 'failed'; readonly reason: string };

export type ResolvedAddress =
  | { readonly kind: 'found'; readonly address: LookedUpAddress }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'failed'; readonly reason: string };

/** Knows addresses (docs/rules/address-lookup.md#providers). Never throws and never takes long. */
export interface AddressLookup {
  readonly alias: string;
  readonly displayName: string;
  readonly description: string;
  /** Null: all. */
  readonly supportedCountries: readonly string[] | null;
  readonly fields: readonly ProviderField[];
  /** What speaks against setting it so, as `field: what was expected`. */
  problems(configuration: AddressLookupConfiguration): Promise<readonly string[]>;
  suggest(query: AddressQuery, configuration: AddressLookupConfiguration): Promise<SuggestedAddresses>;
  resolve(
    wanted: { readonly id: string; readonly countryCode: string | null; readonly sessionId: string | null },
    configuration: AddressLookupConfiguration,
  ): Promise<ResolvedAddress>;
}
