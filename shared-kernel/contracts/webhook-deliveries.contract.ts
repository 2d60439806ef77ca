import { z } from 'zod';
import {
  deliveryStatuses,
  type Delivery,
  type HttpDelivery,
  type Readable,
  type ReadableDelivery,
} from '#topics/webhook-delivery.ts';
import { attemptsOf } from '#topics/past-attempts.ts';
import { shownAddress } from '#values/secret-address.ts';
import { withoutSecrets } from '#values/webhook-headers.ts';
import { enumFilter, listFields, pageSchema } from './listing.contract.ts';
import { enumOf } from '#fields/body-fields.ts';

/** The progress of a delivery: of a webhook, or of a notice to an agent. */
export const progressOf = (delivery: Omit<HttpDelivery, 'requestBody'>) => ({
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

/** A delivery as lists show it. */
export const deliveryListItem = (delivery: Omit<Delivery, 'requestBody'>) => ({
  id: delivery._id,
  deliveryType: 0,
  deliveryTypeDisplay: 'Webhook',
  configurationId: delivery.subscriptionId,
  subscriptionId: delivery.subscriptionId,
  topic: delivery.topic,
  entityId: delivery.entityId,
  entityType: delivery.entityType,
  ...progressOf(delivery),
});

/** What was sent and answered, and what was tried before. */
export const exchangeOf = (delivery: Readable<HttpDelivery>) => ({
  targetUrl: delivery.targetUrl && shownAddress(delivery.targetUrl),
  requestBody: delivery.requestBody,
  // Releases before kept what subscribers had set in clear.
  requestHeaders: withoutSecrets(delivery.requestHeaders),
  responseBody: delivery.responseBody,
  responseHeaders: delivery.responseHeaders,
  attempts: attemptsOf(delivery),
  retriedBy: delivery.retriedBy ?? null,
});

/** A delivery with all that was sent and answered. */
export const deliveryDetail = (delivery: ReadableDelivery) => ({
  ...deliveryListItem(delivery),
  ...exchangeOf(delivery),
});

export const progressShape = {
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

const listItemShape = {
  id: z.string(),
  deliveryType: z.int(),
  deliveryTypeDisplay: z.string(),
  configurationId: z.string(),
  subscriptionId: z.string(),
  topic: z.string(),
  entityId: z.string().nullable(),
  entityType: z.string().nullable(),
  ...progressShape,
};

export const deliveryListItemSchema = z.object(listItemShape);
export const deliveryPageSchema = pageSchema(deliveryListItemSchema);
const headersSchema = z.record(z.string(), z.string());
export const exchangeShape = {
  targetUrl: z.string().nullable(),
  requestBody: z.string().nullable(),
  requestHeaders: headersSchema,
  responseBody: z.string().nullable(),
  responseHeaders: headersSchema,
  attempts: z.array(
    z.object({
      attemptNumber: z.int(),
      dateSent: z.string().nullable(),
      responseStatusCode: z.int().nullable(),
      durationMs: z.number().nullable(),
      errorMessage: z.string().nullable(),
    }),
  ),
  /** Who had it sent again last. */
  retriedBy: z.string().nullable(),
};
export const deliveryDetailSchema = z.object({ ...listItemShape, ...exchangeShape });

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
