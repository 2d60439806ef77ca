import { derivedId } from '#kernel/ids.ts';
import type { Holder } from '#values/basket-hold.ts';

/** Claims one use for a basket; the placement is the business key of a repeat. */
export interface ClaimDiscountUse extends Holder {
  readonly type: 'ClaimDiscountUse';
  readonly discountId: string;
  /** Null: the sale has none. */
  readonly customerId: string | null;
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

/** An edit has taken the discount off an invoice, sold or not: its use counts no more. */
export interface GiveUpDiscountUse {
  readonly type: 'GiveUpDiscountUse';
  readonly discountId: string;
  readonly basketId: string;
  readonly placementId: string;
}

/** The rule has gained a limit: counts the uses of sales and of invoices that stand, where none was claimed. */
export interface TakeOverDiscountUses {
  readonly type: 'TakeOverDiscountUses';
  readonly discountId: string;
  /** The uses taken over so far; if the stream holds more, another process has come first. */
  readonly after: number;
  readonly through: number;
  readonly perCustomer: boolean;
  /** The rule is saved: nothing is left to be taken over. */
  readonly isLast: boolean;
  readonly settled: number;
  readonly open: readonly { readonly basketId: string; readonly placementId: string }[];
}

export type DiscountUsageCommand =
  | ClaimDiscountUse
  | ReleaseDiscountUse
  | SettleDiscountUse
  | GiveUpDiscountUse
  | TakeOverDiscountUses;

/** Where the uses of one customer are counted: apart, so that no stream grows with the number of customers. */
export const customerUsageId = (discountId: string, customerId: string): string =>
  derivedId('discountUsage', discountId, customerId);

export interface LimitedDiscount {
  readonly discountId: string;
  /** The uses of each customer are limited, too. */
  readonly perCustomer: boolean;
}

/**
 * Where a use is counted: with the rule, and with the customer where that is limited. A sale without a customer counts
 * with the rule alone (docs/rules/discounts.md#uses).
 */
export const countersOf = (
  { discountId, perCustomer }: LimitedDiscount,
  customerId: string | null,
): readonly string[] =>
  perCustomer && customerId !== null ? [discountId, customerUsageId(discountId, customerId)] : [discountId];
