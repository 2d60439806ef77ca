import type { CarrierQuestion, Rates } from '#command/pricing/carrier-rates.ts';
import type { Destination } from '#values/address.ts';

/** Goods about which carriers may be asked. */
export interface QuotableGroup {
  readonly groupId: string;
  readonly questions: readonly CarrierQuestion[];
}

export interface ShippingApi {
  /**
   * What the carriers quote, asked in parallel; null where there is none to ask. Never fails, and never takes long.
   */
  readonly ratesFor: (groups: readonly QuotableGroup[], destination: Destination) => Promise<Rates | null>;
}
