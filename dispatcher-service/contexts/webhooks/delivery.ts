import type { Delivery, DeliveryStatus, ReadableDelivery } from '#topics/webhook-delivery.ts';
import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Filter, Patch } from '#ports/document-store.ts';

/** The part of the configuration that a delivery depends on (docs/rules/webhooks.md#attempts). */
export interface DeliverySettings {
  /** How many attempts there are in all. */
  readonly maxRetries: number;
  readonly retryDelaysSeconds: readonly number[];
  readonly maxPayloadSizeBytes: number;
}

/** What an attempt came to. An `error` makes it a failure whatever the status. */
export interface SendOutcome {
  readonly statusCode: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly durationMs: number;
  readonly error: string | null;
}

/** What was sent, as it may be shown. */
export interface SentRequest {
  readonly targetUrl: string;
  /** Redacted. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A change of a row that happens only while `when` holds: compare and set. */
export interface Transition {
  readonly when: Filter;
  readonly patch: Patch;
}

/** A delivery that has just been decided upon. */
export type QueuedDelivery = Pick<
  Delivery,
  '_id' | 'subscriptionId' | 'topic' | 'entityType' | 'entityId' | 'requestBody'
> & { readonly isTest?: boolean };

const retriable: readonly DeliveryStatus[] = ['Retrying', 'Abandoned', 'Failed'];
const stuckAfterSeconds = 360;
const storedCharacters = 10_000;
/** Where a setting lists no delay at all. */
const fallbackDelaySeconds = 60;

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
    status: problem === null ? 'Pending' : 'Abandoned',
    dateCreated: at,
    dateSent: null,
    dateCompleted: problem === null ? null : at,
    nextRetryUtc: null,
    dueAt: problem === null ? at : null,
    attemptNumber: 0,
    targetUrl: null,
    requestHeaders: {},
    responseStatusCode: null,
    responseHeaders: {},
    responseBody: null,
    errorMessage: problem,
    durationMs: 0,
  };
};

const beginAttempt = (now: number): Patch => ({
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

/** As much of what a receiver answered as is kept. */
export const keptOf = (responseBody: string): string => responseBody.slice(0, storedCharacters);

export const isSuccess = ({ error, statusCode }: SendOutcome): boolean =>
  error === null && statusCode !== null && statusCode >= 200 && statusCode <= 299;

/** Why an attempt failed, in words. */
export const failureMessage = ({ error, statusCode }: SendOutcome): string =>
  error ?? `The receiver answered with status ${statusCode}`;

const retryDelayMs = (attemptNumber: number, delays: readonly number[]): number => {
  const index = Math.min(Math.max(attemptNumber - 1, 0), delays.length - 1);
  return Math.max(1, delays[index] ?? fallbackDelaySeconds) * 1000;
};

const afterOutcome = (
  delivery: Delivery,
  outcome: SendOutcome,
  settings: DeliverySettings,
  now: number,
): Partial<Delivery> => {
  if (isSuccess(outcome)) return { status: 'Succeeded', dateCompleted: isoInstant(now), errorMessage: null };
  const errorMessage = failureMessage(outcome);
  const isLast = delivery.isTest || delivery.attemptNumber >= Math.max(0, settings.maxRetries);
  if (isLast) return { status: 'Abandoned', dateCompleted: isoInstant(now), errorMessage };
  const dueAt = isoInstant(now + retryDelayMs(delivery.attemptNumber, settings.retryDelaysSeconds));
  return { status: 'Retrying', nextRetryUtc: dueAt, dueAt, errorMessage };
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
    responseStatusCode: outcome.statusCode,
    responseHeaders: outcome.headers,
    responseBody: outcome.body,
    durationMs: Math.round(outcome.durationMs),
  };
  return { when: heldBy(delivery), patch: { set: recorded } };
};

/** No attempt can be made any more: the subscription is gone, or the body has become too large. */
export const abandon = (delivery: Delivery, errorMessage: string, now: number): Transition => ({
  when: heldBy(delivery),
  patch: { set: { status: 'Abandoned', dateCompleted: isoInstant(now), errorMessage } },
});

const heldBy = ({ _id, attemptNumber }: Delivery): Filter => ({ _id, status: 'Sending', attemptNumber });

/** Rows that were being sent when their worker died: what a find looks for. */
export const stuckFilter = (now: number): Filter => ({
  status: 'Sending',
  dateSent: { lte: isoInstant(now - stuckAfterSeconds * 1000) },
});

/** Gives a delivery that got stuck back to any free worker. */
export const requeue = (delivery: Delivery, now: number): Transition => ({
  when: heldBy(delivery),
  patch: { set: { status: 'Pending', nextRetryUtc: null, dueAt: isoInstant(now) } },
});

/**
 * Sends a failed delivery once more at once; what was scheduled falls away, the number of attempts stays. Throws
 * `invalid-request` for one that is under way or has arrived, or is too large.
 */
export const retryByHand = (
  delivery: ReadableDelivery,
  settings: Pick<DeliverySettings, 'maxPayloadSizeBytes'>,
  now: number,
): Transition => {
  const { _id, status, attemptNumber, requestBody } = delivery;
  if (!retriable.includes(status)) {
    throw new Rejection(
      'invalid-request',
      `Only a failed delivery can be sent again; this one is ${status}.`,
    );
  }
  const problem =
    requestBody === null
      ? 'The person this delivery is about has been forgotten: there is nothing left to send.'
      : oversize(requestBody, settings);
  if (problem !== null) throw new Rejection('invalid-request', problem);
  return {
    when: { _id, status, attemptNumber },
    patch: { set: { status: 'Pending', nextRetryUtc: null, dateCompleted: null, dueAt: isoInstant(now) } },
  };
};

/** Rows old enough to be purged (docs/rules/webhooks.md#log-of-deliveries); those still to be sent stay. */
export const purgeFilter = (now: number, retentionDays: number): Filter => ({
  status: { in: ['Succeeded', 'Failed', 'Abandoned'] },
  dateCreated: { lt: isoInstant(now - Math.max(1, retentionDays) * 86_400_000) },
});
