import { isoInstant } from '#kernel/clock.ts';
import type { Filter, Patch } from '#ports/document-store.ts';
import type { DeliveryProgress } from './webhook-delivery.ts';

/** A change of a row that happens only while `when` holds: compare and set. */
export interface Transition {
  readonly when: Filter;
  readonly patch: Patch;
}

/** Whose attempt it is: a later one has another number. */
interface Attempt {
  readonly _id: string;
  readonly attemptNumber: number;
}

const DAY_MILLISECONDS = 86_400_000;
/** Where a setting lists no delay at all. */
const fallbackDelaySeconds = 60;

/** What beginning an attempt makes of its row. */
export const beginAttempt = (now: number): Patch => ({
  set: {
    status: 'Sending',
    dateSent: isoInstant(now),
    nextRetryUtc: null,
    dueAt: null,
    errorMessage: null,
  },
  increment: { attemptNumber: 1 },
});

/** Takes a delivery that is due for one attempt; of several who try, one gets it, and with it the attempt's number. */
export const claim = (deliveryId: string, now: number): Transition => ({
  when: { _id: deliveryId, dueAt: { lte: isoInstant(now) } },
  patch: beginAttempt(now),
});

/** As `claim`, for one that waits for no delay. No clock is asked: the clock that queued it may be ahead of ours. */
export const claimPending = (deliveryId: string, now: number): Transition => ({
  when: { _id: deliveryId, status: 'Pending' },
  patch: beginAttempt(now),
});

/** Holds for the worker of this attempt alone. */
export const heldBy = ({ _id, attemptNumber }: Attempt): Filter => ({
  _id,
  status: 'Sending',
  attemptNumber,
});

/** Gives a delivery that got stuck back to any free worker. */
export const requeue = (delivery: Attempt, now: number): Transition => ({
  when: heldBy(delivery),
  patch: { set: { status: 'Pending', nextRetryUtc: null, dueAt: isoInstant(now) } },
});

/** Sends a delivery that is not under way again at once; the attempt number stays, a scheduled retry falls away. */
export const sendAgain = (
  { _id, status, attemptNumber }: Attempt & Pick<DeliveryProgress, 'status'>,
  now: number,
  retriedBy: string,
): Transition => ({
  when: { _id, status, attemptNumber },
  patch: {
    set: { status: 'Pending', nextRetryUtc: null, dateCompleted: null, dueAt: isoInstant(now), retriedBy },
  },
});

/** Rows that were being sent when their worker died: what a find looks for. */
export const stuckFilter = (now: number, afterSeconds: number): Filter => ({
  status: 'Sending',
  dateSent: { lte: isoInstant(now - afterSeconds * 1000) },
});

/** From a failed attempt to the next. */
export const retryDelayMs = (attemptNumber: number, delays: readonly number[]): number => {
  const index = Math.min(Math.max(attemptNumber - 1, 0), delays.length - 1);
  return Math.max(1, delays[index] ?? fallbackDelaySeconds) * 1000;
};

/** What was made before is old enough to be purged (docs/rules/webhooks.md#log-of-deliveries). */
export const purgeLimit = (now: number, retentionDays: number): string =>
  isoInstant(now - Math.max(1, retentionDays) * DAY_MILLISECONDS);

/** Rows old enough to be purged; those still to be sent stay. */
export const purgeFilter = (now: number, retentionDays: number): Filter => ({
  status: { in: ['Succeeded', 'Failed', 'Abandoned'] },
  dateCreated: { lt: purgeLimit(now, retentionDays) },
});
