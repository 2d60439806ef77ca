import type { UnpaidLimits } from '#values/store-settings.ts';
import { toBeCaptured } from './payments/authorizations.state.ts';
import type { InvoiceState } from './invoice.state.ts';

/** What an unpaid invoice's expiry depends on; instants in milliseconds since 1970 UTC. */
export interface UnpaidAge {
  readonly createdAt: number;
  /** When the latest session was opened; `createdAt` before the first. */
  readonly idleSince: number;
  /** When the attempt with a pending or unknown outcome was made; null if there is none. */
  readonly attemptedAt: number | null;
  /** Until when goods are held for a promised payment; null if none was promised. */
  readonly heldUntil: number | null;
  /** The latest expiry of an invoice that holds a lot, unless an outcome is pending. Null for any other. */
  readonly endsAt: number | null;
}

const MINUTE = 60_000;

/**
 * When an unpaid invoice expires (docs/rules/checkout.md#unpaid-invoices). Failed attempts prolong nothing. Sessions
 * prolong it no further than a pending payment would: otherwise anyone could hold stock for ever.
 */
export const expiresAt = (age: UnpaidAge, limits: UnpaidLimits): number => {
  const { createdAt, idleSince, attemptedAt, heldUntil, endsAt } = age;
  const hold = limits.unpaidHoldMinutes * MINUTE;
  const expiry = limits.unpaidInvoiceExpiryMinutes * MINUTE;
  if (attemptedAt !== null) return Math.max(attemptedAt + expiry, heldUntil ?? 0);
  const idleUntil = Math.min(Math.max(createdAt, idleSince) + hold, createdAt + expiry);
  return Math.min(Math.max(idleUntil, heldUntil ?? 0), endsAt ?? Infinity);
};

/** An invoice held this long never expires. */
export const FOR_EVER = Number.MAX_SAFE_INTEGER;

/**
 * Until when a checkout's invoice is kept unpaid, in milliseconds. Null: it never expires, as it has money, or money is
 * set aside for it, it is sold, or its customer has account terms.
 */
export const keptUntil = (state: InvoiceState, limits: UnpaidLimits): number | null => {
  if (state.status !== 'open' || state.payments.length > 0 || state.isConfirmed) return null;
  if (toBeCaptured(state).length > 0) return null;
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

export const isExpired = (state: InvoiceState, now: number, limits: UnpaidLimits): boolean => {
  const until = keptUntil(state, limits);
  return until !== null && now >= until;
};
