import type { Destination } from '#values/address.ts';
import type { Minor } from '#values/money.ts';

/** Packages of one size and weight. */
export interface RatedPackage {
  readonly weightKg: number;
  readonly lengthCm: number | null;
  readonly widthCm: number | null;
  readonly heightCm: number | null;
  readonly count: number;
}

/** What a carrier is asked. `configuration` is what staff have set for it. */
export interface RateRequest {
  readonly origin: Destination;
  readonly destination: Destination;
  /** At least one. */
  readonly packages: readonly RatedPackage[];
  readonly currency: string;
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** A way to send the packages; `cost` for all of them, in minor units of the currency that was asked for. */
export interface RatedService {
  readonly serviceCode: string;
  readonly name: string;
  readonly cost: Minor;
  /** A part of a day counts as a day. */
  readonly transitDays: number;
}

/** `quoted` with no service: it does not go there. */
export type RateOutcome =
  | { readonly kind: 'quoted'; readonly services: readonly RatedService[] }
  | { readonly kind: 'unavailable'; readonly reason: string };

/**
 * A carrier that says what sending costs (docs/rules/shipping.md#carriers). An adapter that calls out stops once the
 * signal aborts and reads no more of an answer than a quote may be long. What it says is checked by who asks.
 */
export interface ShippingRateProvider {
  readonly key: string;
  quote(request: RateRequest, signal: AbortSignal): Promise<RateOutcome>;
}
