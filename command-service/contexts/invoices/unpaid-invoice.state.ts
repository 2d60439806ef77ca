import type { UnpaidLimits } from '#values/store-settings.ts';
import type { InvoiceState } from './invoice.state.ts';

/** What the age of an unpaid invoice depends on; instants in milliseconds since 1970 UTC. */
export interface UnpaidAge {
  readonly createdAt: number;
  /** When the last session was opened; `createdAt` before the first. */
  readonly idleSince: number;
  /** When the attempt was made whose outcome is still pending or unknown; null when there is none. */
  readonly attemptedAt: number | null;
  /** Until when goods are held for a payment that was promised; null where none was. */
  readonly heldUntil: number | null;
  /** No outcome owed, it is not kept beyond that: it holds much. Null for any other. */
  readonly endsAt: number | null;
}

const MINUTE = 60_000;

/**
 * When an unpaid invoice expires (docs/rules/checkout.md#unpaid-invoices). An attempt that comes to nothing prolongs
 * nothing, and sessions never prolong it for longer than one whose payment may still arrive is kept: else anybody could
 * hold stock for good.
 */
export const expiresAt = (age: UnpaidAge, limits: UnpaidLimits): number => {
  const { createdAt, idleSince, attemptedAt, heldUntil, endsAt } = age;
  const hold = limits.unpaidHoldMinutes * MINUTE;
  const expiry = limits.unpaidInvoiceExpiryMinutes * MINUTE;
  if (attemptedAt !== null) return Math.max(attemptedAt + expiry, heldUntil ?? 0);
  const idleUntil = Math.min(Math.max(createdAt, idleSince) + hold, createdAt + expiry);
  return Math.min(Math.max(idleUntil, heldUntil ?? 0), endsAt ?? Infinity);
};

/** Held for so long, an invoice never expires. */
export const FOR_EVER = Number.MAX_SAFE_INTEGER;

/**
 * Until when an invoice of a checkout is kept unpaid, in milliseconds; null for good. One that brought in any money,
 * that was sold, or whose customer has account terms never expires.
 */
export const keptUntil = (state: InvoiceState, limits: UnpaidLimits): number | null => {
  if (state.status !== 'open' || state.payments.length > 0 || state.isConfirmed) return null;
  const { content, idleSince, openAttempt, pending, heldUntil } = state;
  if (content.basketId === null || content.accountTerms || state.purchaseOrder) return null;
  const createdAt = Date.parse(content.createdAt);
  const owedSince = openAttempt ? (openAttempt.attemptedAt ?? content.createdAt) : pending?.pendingSince;
  const age: UnpaidAge = {
    createdAt,
    idleSince: idleSince === null ? createdAt : Date.parse(idleSince),
    attemptedAt: owedSince === undefined ? null : Date.parse(owedSince),
    heldUntil: heldUntil === null ? null : Date.parse(heldUntil),
    endsAt: content.holdEndsAt === undefined ? null : Date.parse(content.holdEndsAt),
  };
  return expiresAt(age, limits);
};

/** Whether an invoice of a checkout has expired by now. */
export const isExpired = (state: InvoiceState, now: number, limits: UnpaidLimits): boolean => {
  const until = keptUntil(state, limits);
  return until !== null && now >= until;
};
