import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { Holder } from '#values/basket-hold.ts';

/** Claims one use for a basket; the placement is the business key of a repeat. */
export interface ClaimDiscountUse extends Holder {
  readonly type: 'ClaimDiscountUse';
  readonly discountId: string;
  readonly customerId: string;
  /** What it takes off, minor units of the store's currency. */
  readonly amount: number;
  readonly totalUsageLimit: number | null;
  readonly perCustomerUsageLimit: number | null;
}

/** Gives the basket's use back, unless a later placement has taken it over. */
export interface ReleaseDiscountUse extends Holder {
  readonly type: 'ReleaseDiscountUse';
  readonly discountId: string;
  /** That nothing is held is noted too: another driver's claim may still be under way. */
  readonly isFinal?: boolean;
}

export type DiscountUsageCommand = ClaimDiscountUse | ReleaseDiscountUse;

/** The uses of discounts, as other contexts ask for them. */
export interface DiscountUses {
  /** Refused with `usage-limit-reached` and the `errorCode` of decisions, storefront 5.1. */
  claim(
    holder: Holder & { readonly customerId: string },
    discountId: string,
    amount: number,
    meta: CommandMeta,
  ): Promise<void>;
  release(
    holder: Holder & Pick<ReleaseDiscountUse, 'isFinal'>,
    discountId: string,
    meta: CommandMeta,
  ): Promise<void>;
}
