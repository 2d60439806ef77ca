/** What a source of exchange rates has answered. */
export type FetchedRates =
  | {
      readonly kind: 'rates';
      /** Units of each currency for one unit of the base: exact decimals above 0. */
      readonly rates: Readonly<Record<string, string>>;
      /** ISO instant; null where the source does not say. */
      readonly quotedAt: string | null;
    }
  /** `reason` is for staff. */
  | { readonly kind: 'failed'; readonly reason: string };

/** A source of exchange rates (docs/rules/currency.md#providers). */
export interface ExchangeRateProvider {
  readonly alias: string;
  /** What speaks against setting it so, as `field: what was expected`. */
  problems(configuration: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
  /**
   * Today's rates for one unit of `base`, as the provider is configured. Never throws and never takes long: every
   * failure is a result.
   */
  fetchRates(base: string, configuration: Readonly<Record<string, unknown>>): Promise<FetchedRates>;
}
