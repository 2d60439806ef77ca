import type { Document } from '#kernel/projection.ts';
import type { StaffTopicKey } from './staff.topics.ts';
import type { TopicKey } from './topics.ts';

/** Collections of the state store. Written by the dispatcher; services that show a subscription read them. */
export const deliveriesCollection = 'webhookDeliveries';
export const counterCollection = 'webhookTallies';
/** How far what goes out has followed the log. */
export const checkpointCollection = 'dispatcherCheckpoints';

export const deliveryStatuses = {
  Pending: 0,
  Sending: 1,
  Succeeded: 2,
  Failed: 3,
  Retrying: 4,
  Abandoned: 5,
} as const;
export type DeliveryStatus = keyof typeof deliveryStatuses;

/** What integrators subscribe to, and what staff are told of. */
export type DeliveredTopic = TopicKey | StaffTopicKey;

/** How far a delivery has come. */
export interface DeliveryProgress extends Document {
  readonly status: DeliveryStatus;
  readonly dateCreated: string;
  readonly dateSent: string | null;
  readonly dateCompleted: string | null;
  readonly nextRetryUtc: string | null;
  /** When it is to be sent: at once, or at `nextRetryUtc`; null once it is done or under way. */
  readonly dueAt: string | null;
  /** 0 while queued, 1 on the first send. Its sender holds it by this number. */
  readonly attemptNumber: number;
  readonly errorMessage: string | null;
  /** Of the last attempt. */
  readonly durationMs: number;
}

/** Of what is due at once and was not tried yet. `at`: ISO. */
export const untried = (at: string): Omit<DeliveryProgress, '_id'> => ({
  status: 'Pending',
  dateCreated: at,
  dateSent: null,
  dateCompleted: null,
  nextRetryUtc: null,
  dueAt: at,
  attemptNumber: 0,
  errorMessage: null,
  durationMs: 0,
});

/** An attempt that is over. */
export interface PastAttempt {
  readonly attemptNumber: number;
  /** Null where an older release lost it. */
  readonly dateSent: string | null;
  readonly responseStatusCode: number | null;
  /** Null when its end was not seen. */
  readonly durationMs: number | null;
  readonly errorMessage: string | null;
}

/**
 * A message over HTTP with its last attempt. Instants are ISO texts of the shop's clock. `requestBody` is what goes
 * out, byte for byte, on every attempt. It and `responseBody` are sealed where they say something about a person.
 */
export interface HttpDelivery extends DeliveryProgress {
  readonly requestBody: string;
  /** The data subject whom it is about; missing where it is about no one, or where an older release wrote it. */
  readonly subject?: string | null;
  readonly targetUrl: string | null;
  /** As sent, secrets as `***`. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseStatusCode: number | null;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string | null;
  /**
   * Attempts that are over, oldest first; absent before the first, and in rows of older releases. One that arrived is
   * told by the row itself, until it is sent again.
   */
  readonly attempts?: readonly PastAttempt[];
  /** Who had it sent again last; absent where no one had. */
  readonly retriedBy?: string;
}

/** Before there is an answer. */
export const unanswered: Pick<
  HttpDelivery,
  'requestHeaders' | 'responseStatusCode' | 'responseHeaders' | 'responseBody'
> = { requestHeaders: {}, responseStatusCode: null, responseHeaders: {}, responseBody: null };

/** One message to one subscription (docs/rules/webhooks.md#log-of-deliveries). */
export interface Delivery extends HttpDelivery {
  readonly subscriptionId: string;
  readonly topic: DeliveredTopic;
  readonly entityType: string | null;
  readonly entityId: string | null;
  /** Sent by hand to try a receiver out: never tried again by itself. */
  readonly isTest: boolean;
  /** Attempts that were made before its schedule began; absent where that is its first. */
  readonly attemptsBefore?: number;
}

/** A delivery with its texts decrypted. `requestBody`: null once the person it is about is forgotten. */
export type Readable<Row extends HttpDelivery> = Omit<Row, 'requestBody'> & {
  readonly requestBody: string | null;
};
export type ReadableDelivery = Readable<Delivery>;

/** What the deliveries of one subscription came to; `_id` is the subscription's. */
export interface SubscriptionCounters extends Document {
  readonly successCount: number;
  readonly failureCount: number;
  /** Attempts that failed since the last that succeeded. Missing in what an older release wrote. */
  readonly failuresInARow?: number;
  /** Deliveries that were given up. Missing in what an older release wrote. */
  readonly givenUpCount?: number;
  readonly lastTriggeredUtc: string | null;
  readonly lastSuccessUtc: string | null;
  readonly lastFailureUtc: string | null;
  readonly lastErrorMessage: string | null;
}

export const zeroCounters = (subscriptionId: string): SubscriptionCounters => ({
  _id: subscriptionId,
  successCount: 0,
  failureCount: 0,
  failuresInARow: 0,
  givenUpCount: 0,
  lastTriggeredUtc: null,
  lastSuccessUtc: null,
  lastFailureUtc: null,
  lastErrorMessage: null,
});
