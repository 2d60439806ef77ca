import { unanswered, untried, type Delivery, type ReadableDelivery } from '#topics/webhook-delivery.ts';
import type { SendOutcome } from '#ports/sender.ts';
import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSuccess } from '#topics/delivery-outcome.ts';
import { heldBy, retryDelayMs, type Transition } from '#topics/delivery-steps.ts';
import { abandon, answered, failed, interrupt } from '#topics/http-attempt.ts';
import { retryByHand } from '#topics/retry-by-hand.ts';
import { retryAfter } from './retry-after.ts';

/** The part of the configuration that a delivery depends on (docs/rules/webhooks.md#attempts). */
export interface DeliverySettings {
  /** How many attempts there are in all. */
  readonly maxRetries: number;
  readonly retryDelaysSeconds: readonly number[];
  readonly maxPayloadSizeBytes: number;
}

/** What was sent, as it may be shown. */
export interface SentRequest {
  readonly targetUrl: string;
  /** Redacted. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A delivery that has just been decided upon. */
export type QueuedDelivery = Pick<
  Delivery,
  '_id' | 'subscriptionId' | 'topic' | 'entityType' | 'entityId' | 'requestBody'
> & { readonly isTest?: boolean };

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** What is wrong with a body's size; null when it may go out. */
export const oversize = (
  requestBody: string,
  { maxPayloadSizeBytes }: Pick<DeliverySettings, 'maxPayloadSizeBytes'>,
): string | null => {
  const allowed = Math.max(1, maxPayloadSizeBytes);
  // A UTF-16 unit is at most three bytes: most bodies need no counting.
  if (requestBody.length * 3 <= allowed) return null;
  const bytes = bytesOf(requestBody);
  return bytes > allowed ? `Payload exceeds max size: ${bytes} bytes > ${allowed} bytes` : null;
};

/** The row of a new delivery: due at once, or abandoned because it is too large. `now`: the shop's time, ms. */
export const newDelivery = (
  { isTest = false, ...queued }: QueuedDelivery,
  settings: Pick<DeliverySettings, 'maxPayloadSizeBytes'>,
  now: number,
): Delivery => {
  const at = isoInstant(now);
  const problem = oversize(queued.requestBody, settings);
  return {
    ...queued,
    isTest,
    targetUrl: null,
    ...unanswered,
    ...untried(at),
    ...(problem !== null && { status: 'Abandoned', dateCompleted: at, dueAt: null, errorMessage: problem }),
  };
};

/** Statuses whose `Retry-After` counts. */
const isAskedToWait = (statusCode: number | null): boolean => statusCode === 429 || statusCode === 503;

/** The attempts of a delivery count on for good; a replay begins another schedule with them. */
const attemptOfSchedule = ({ attemptNumber, attemptsBefore = 0 }: Delivery): number =>
  attemptNumber - attemptsBefore;

/**
 * The schedule's time or, where the receiver asks for a later one, that: at most one delay of the schedule later
 * (docs/rules/webhooks.md#attempts).
 */
const nextAttemptAt = (
  delivery: Delivery,
  { statusCode, headers }: SendOutcome,
  { retryDelaysSeconds }: DeliverySettings,
  now: number,
): string => {
  const delay = retryDelayMs(attemptOfSchedule(delivery), retryDelaysSeconds);
  const scheduled = now + delay;
  const asked = isAskedToWait(statusCode) ? retryAfter(headers['retry-after'], now) : null;
  return isoInstant(Math.min(Math.max(scheduled, asked ?? scheduled), scheduled + delay));
};

const afterOutcome = (
  delivery: Delivery,
  outcome: SendOutcome,
  settings: DeliverySettings,
  now: number,
): Partial<Delivery> => {
  if (isSuccess(outcome)) return { status: 'Succeeded', dateCompleted: isoInstant(now), errorMessage: null };
  const failure = failed(delivery, outcome);
  const isLast = delivery.isTest || attemptOfSchedule(delivery) >= Math.max(0, settings.maxRetries);
  if (isLast) return { ...failure, status: 'Abandoned', dateCompleted: isoInstant(now) };
  const dueAt = nextAttemptAt(delivery, outcome, settings, now);
  return { ...failure, status: 'Retrying', nextRetryUtc: dueAt, dueAt };
};

/**
 * After an attempt: succeeded, to be tried again after the delay that the settings name, or abandoned
 * (docs/rules/webhooks.md#attempts). Only the holder of this attempt may write it: one who comes late finds
 * another number.
 */
export const next = (
  delivery: Delivery,
  outcome: SendOutcome,
  settings: DeliverySettings,
  now: number,
  sent: SentRequest | null,
): Transition => {
  const recorded: Partial<Delivery> = {
    ...afterOutcome(delivery, outcome, settings, now),
    ...(sent !== null && { targetUrl: sent.targetUrl, requestHeaders: sent.headers }),
    ...answered(outcome),
  };
  return { when: heldBy(delivery), patch: { set: recorded } };
};

/** When the job looks after a row that is found by other means. */
export const LOOK_AGAIN_MILLISECONDS = 86_400_000;

/**
 * Lets a delivery wait for as long as its subscription is inactive. Once that is active or gone it is found by its
 * status; should that be missed, the job looks after it in a day.
 */
export const parked = ({ _id, status, attemptNumber }: Delivery, now: number): Transition => ({
  when: { _id, status, attemptNumber },
  patch: { set: { status: 'Pending', nextRetryUtc: null, dueAt: isoInstant(now + LOOK_AGAIN_MILLISECONDS) } },
});

/** What becomes of a delivery whose attempt will not finish: it waits again; one sent by hand is given up. */
export const interruptDelivery = (delivery: Delivery, now: number): Transition =>
  delivery.isTest ? abandon(delivery, 'Interrupted', now) : interrupt(delivery, now);

/** As `retryByHand` of every delivery. Throws `invalid-request` also for one that is too large. */
export const retryWebhook = (
  delivery: ReadableDelivery,
  settings: Pick<DeliverySettings, 'maxPayloadSizeBytes'>,
  now: number,
  retriedBy: string,
): Transition => {
  const retry = retryByHand(delivery, now, retriedBy);
  const problem = oversize(delivery.requestBody ?? '', settings);
  if (problem !== null) throw new Rejection('invalid-request', problem);
  return retry;
};
