import type { Holder } from '#values/basket-hold.ts';

/** Claims one use for a basket; the placement is the business key of a repeat. */
export interface ClaimDiscountUse extends Holder {
  readonly type: 'ClaimDiscountUse';
  readonly discountId: string;
  readonly customerId: string;
  /** What it takes off, minor units of the store's currency. */
  readonly amount: number;
}

/** Gives the basket's use back, unless a later placement has taken it over. */
export interface ReleaseDiscountUse extends Holder {
  readonly type: 'ReleaseDiscountUse';
  readonly discountId: string;
  /** That nothing is held is noted too: another driver's claim may still be under way. */
  readonly isFinal?: boolean;
}

export type DiscountUsageCommand = ClaimDiscountUse | ReleaseDiscountUse;
