import type { StockHold } from '#events/checkout.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { HeldElsewhere } from '../../invoices/invoice.commands.ts';

/** From where on an unpaid order is a large one, and for how long it is held then. */
export interface LargeHolds {
  /** Unpaid units at one address. */
  readonly units: number;
  readonly minutes: number;
}

/** What deciding about it needs. */
export interface HeldThere {
  readonly limits: LargeHolds;
  readonly elsewhere: HeldElsewhere;
  /** Units of a row of stock, reserved ones too. */
  readonly stockOf: (hold: StockHold) => number;
  /** In milliseconds. */
  readonly now: number;
}

/** Of fewer units than that one shopper may well want most. */
const FEW_UNITS = 10;

const isLarge = (holds: readonly StockHold[], { limits, elsewhere, stockOf }: HeldThere): boolean => {
  const units = holds.reduce((sum, { quantity }) => sum + quantity, elsewhere.units);
  if (units > limits.units) return true;
  return holds.some((hold) => {
    const stock = stockOf(hold);
    return stock > FEW_UNITS && 2 * (hold.quantity + elsewhere.unitsOf(hold)) > stock;
  });
};

const waits = (until: number): Rejection => {
  const retryAt = isoInstant(until);
  const message = `A large order from your network was not paid in time. Order less, or come back after ${retryAt}.`;
  return new Rejection('large-order-waits', message, { retryAt });
};

/**
 * When an order that holds much at its address has to be paid (docs/rules/checkout.md#large-orders); null for any
 * other. One that replaces a large one has no more time than that had. Errors: Rejection `large-order-waits`.
 */
export const holdEndOf = (holds: readonly StockHold[], there: HeldThere): string | null => {
  const { limits, elsewhere, now } = there;
  if (!isLarge(holds, there)) return null;
  const { restsUntil, replacedEndsAt } = elsewhere;
  if (restsUntil !== null && now < restsUntil) throw waits(restsUntil);
  return isoInstant(Math.min(now + limits.minutes * 60_000, replacedEndsAt ?? Infinity));
};
