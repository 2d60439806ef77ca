import { derivedId } from '#kernel/ids.ts';
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

/** The basket's sale is confirmed: its use is counted for good. */
export interface SettleDiscountUse extends Holder {
  readonly type: 'SettleDiscountUse';
  readonly discountId: string;
}

export type DiscountUsageCommand = ClaimDiscountUse | ReleaseDiscountUse | SettleDiscountUse;

/** Where the uses of one customer are counted: apart, so that no stream grows with the number of customers. */
export const customerUsageId = (discountId: string, customerId: string): string =>
  derivedId('discountUsage', discountId, customerId);
