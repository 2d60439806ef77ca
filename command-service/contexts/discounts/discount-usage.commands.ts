import type { CommandMeta } from '#command/engine/command-engine.ts';

/** Claims one use for a basket; the placement is the business key of a repeat. */
export interface ClaimDiscountUse {
  readonly type: 'ClaimDiscountUse';
  readonly discountId: string;
  readonly basketId: string;
  readonly placementId: string;
  readonly customerId: string;
  /** What it takes off, minor units of the store's currency. */
  readonly amount: number;
  readonly totalUsageLimit: number | null;
  readonly perCustomerUsageLimit: number | null;
}

/** Gives the basket's use back, unless a later placement has taken it over. */
export interface ReleaseDiscountUse {
  readonly type: 'ReleaseDiscountUse';
  readonly discountId: string;
  readonly basketId: string;
  readonly placementId: string;
}

export type DiscountUsageCommand = ClaimDiscountUse | ReleaseDiscountUse;

interface UseHolder {
  readonly basketId: string;
  readonly placementId: string;
}

/** The uses of discounts, as other contexts ask for them. */
export interface DiscountUses {
  /** Refused with `usage-limit-reached` and the `errorCode` of decisions, storefront 5.1. */
  claim(
    holder: UseHolder & { readonly customerId: string },
    discountId: string,
    amount: number,
    meta: CommandMeta,
  ): Promise<void>;
  release(holder: UseHolder, discountId: string, meta: CommandMeta): Promise<void>;
}
