import { z } from 'zod';
import type { Document } from '#kernel/projection.ts';
import type { TopicKey } from '#topics/topics.ts';
import { shownAddress } from '#values/secret-address.ts';
import { withoutSecrets } from '#values/webhook-headers.ts';
import { enumFilter, listFields, pageSchema } from './listing.contract.ts';
import { enumOf } from '#fields/body-fields.ts';

/** Collections of the state store. Written by the dispatcher; services that show a subscription read them. */
export const deliveriesCollection = 'webhookDeliveries';
export const counterCollection = 'webhookTallies';

export const deliveryStatuses = {
  Pending: 0,
  Sending: 1,
  Succeeded: 2,
  Failed: 3,
  Retrying: 4,
  Abandoned: 5,
} as const;
export type DeliveryStatus = keyof typeof deliveryStatuses;

/**
 * One message to one subscription, with its last attempt (docs/rules/webhooks.md#log-of-deliveries). Instants are ISO
 * texts of the shop's clock. `requestBody` is what goes out, byte for byte, on every attempt.
 */
export interface Delivery extends Document {
  readonly subscriptionId: string;
  readonly topic: TopicKey;
  readonly entityType: string | null;
  readonly entityId: string | null;
  readonly status: DeliveryStatus;
  /** Sent by hand to try a receiver out: never tried again by itself. */
  readonly isTest: boolean;
  readonly requestBody: string;
  readonly dateCreated: string;
  readonly dateSent: string | null;
  readonly dateCompleted: string | null;
  readonly nextRetryUtc: string | null;
  /** When it is to be sent: at once, or at `nextRetryUtc`; null once it is done or under way. */
  readonly dueAt: string | null;
  /** 0 while queued, 1 on the first send. Its sender holds it by this number. */
  readonly attemptNumber: number;
  readonly targetUrl: string | null;
  /** As sent, secrets as `***`. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseStatusCode: number | null;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string | null;
  readonly errorMessage: string | null;
  readonly durationMs: number;
}

/** What the deliveries of one subscription came to; `_id` is the subscription's. */
export interface SubscriptionCounters extends Document {
  readonly successCount: number;
  readonly failureCount: number;
  readonly lastTriggeredUtc: string | null;
  readonly lastSuccessUtc: string | null;
  readonly lastFailureUtc: string | null;
  readonly lastErrorMessage: string | null;
}

export const zeroCounters = (subscriptionId: string): SubscriptionCounters => ({
  _id: subscriptionId,
  successCount: 0,
  failureCount: 0,
  lastTriggeredUtc: null,
  lastSuccessUtc: null,
  lastFailureUtc: null,
  lastErrorMessage: null,
});

/** A delivery as lists show it. */
export const deliveryListItem = (delivery: Delivery) => ({
  id: delivery._id,
  deliveryType: 0,
  deliveryTypeDisplay: 'Webhook',
  configurationId: delivery.subscriptionId,
  subscriptionId: delivery.subscriptionId,
  topic: delivery.topic,
  entityId: delivery.entityId,
  entityType: delivery.entityType,
  status: delivery.status,
  statusValue: deliveryStatuses[delivery.status],
  statusDisplay: delivery.status,
  responseStatusCode: delivery.responseStatusCode,
  errorMessage: delivery.errorMessage,
  dateCreated: delivery.dateCreated,
  dateCompleted: delivery.dateCompleted,
  dateSent: delivery.dateSent,
  nextRetryUtc: delivery.nextRetryUtc,
  durationMs: delivery.durationMs,
  attemptNumber: delivery.attemptNumber,
});

/** A delivery with all that was sent and answered. */
export const deliveryDetail = (delivery: Delivery) => ({
  ...deliveryListItem(delivery),
  targetUrl: delivery.targetUrl && shownAddress(delivery.targetUrl),
  requestBody: delivery.requestBody,
  // Releases before kept what subscribers had set in clear.
  requestHeaders: withoutSecrets(delivery.requestHeaders),
  responseBody: delivery.responseBody,
  responseHeaders: delivery.responseHeaders,
});

const listItemShape = {
  id: z.string(),
  deliveryType: z.int(),
  deliveryTypeDisplay: z.string(),
  configurationId: z.string(),
  subscriptionId: z.string(),
  topic: z.string(),
  entityId: z.string().nullable(),
  entityType: z.string().nullable(),
  status: z.string(),
  statusValue: z.int(),
  statusDisplay: z.string(),
  responseStatusCode: z.int().nullable(),
  errorMessage: z.string().nullable(),
  dateCreated: z.string(),
  dateCompleted: z.string().nullable(),
  dateSent: z.string().nullable(),
  nextRetryUtc: z.string().nullable(),
  durationMs: z.number(),
  attemptNumber: z.int(),
};

export const deliveryListItemSchema = z.object(listItemShape);
export const deliveryPageSchema = pageSchema(deliveryListItemSchema);
const headersSchema = z.record(z.string(), z.string());
export const deliveryDetailSchema = z.object({
  ...listItemShape,
  targetUrl: z.string().nullable(),
  requestBody: z.string(),
  requestHeaders: headersSchema,
  responseBody: z.string().nullable(),
  responseHeaders: headersSchema,
});

/** Query of a subscription's deliveries. `statuses` wins over `status`; it may be repeated or comma-separated. */
export const deliveryListQuery = z.object({
  ...listFields(20),
  status: enumFilter(deliveryStatuses),
  statuses: z
    .union([z.string(), z.array(z.string())])
    .transform((given) =>
      [given]
        .flat()
        .flatMap((part) => part.split(','))
        .filter((part) => part !== '')
        .map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
    )
    .pipe(z.array(enumOf(deliveryStatuses)))
    .optional(),
});
