import { z } from 'zod';
import type { WebhookAuthType } from '#events/webhook.events.ts';
import { MAX_FILTER_LENGTH, parseFilter, FilterSyntaxError } from '#values/filter-expression.ts';
import { displayNameOf, isTopicKey, type TopicKey } from '#topics/topics.ts';
import { shownAddress } from '#values/secret-address.ts';
import { MOST_CONCURRENT } from '#values/webhook-concurrency.ts';
import { isHeaderName, isHeaderValue, isReservedHeader, maskedHeaders } from '#values/webhook-headers.ts';
import { directionOf, listFields, pageSchema } from './listing.contract.ts';
import { enumOf, name } from '#fields/body-fields.ts';
import { responseDates } from '#fields/bodies.ts';
import { deliveryListItem, deliveryListItemSchema } from './webhook-deliveries.contract.ts';
import type { Delivery, SubscriptionCounters } from '#topics/webhook-delivery.ts';

/** Subscriptions (docs/rules/webhooks.md#subscriptions, docs/rules/webhooks.md#filters). */

export const authTypes = {
  None: 0,
  HmacSha256: 1,
  HmacSha512: 2,
  BearerToken: 3,
  ApiKey: 4,
  BasicAuth: 5,
} as const satisfies Readonly<Record<WebhookAuthType, number>>;

const authTypeNames: Readonly<Record<WebhookAuthType, string>> = {
  None: 'None',
  HmacSha256: 'HMAC SHA-256',
  HmacSha512: 'HMAC SHA-512',
  BearerToken: 'Bearer Token',
  ApiKey: 'API Key',
  BasicAuth: 'Basic Auth',
};

const maxHeaders = 50;
/** Addresses with a token in them and credentials are longer than the names of things. */
const longValue = z.string().max(2000);

export const topic = z.string().refine(isTopicKey, 'must be one of the keys of GET /webhooks/topics');

export const filterExpression = z
  .string()
  .max(MAX_FILTER_LENGTH)
  .transform((text, context) => {
    try {
      parseFilter(text);
    } catch (error) {
      if (!(error instanceof FilterSyntaxError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
    return text.trim();
  });

const headers = z
  .record(
    z.string().max(250).refine(isHeaderName, 'must be a header name'),
    longValue.refine(isHeaderValue, 'must be a header value without line breaks'),
  )
  .refine((given) => Object.keys(given).length <= maxHeaders, `must be at most ${maxHeaders} headers`)
  .refine(
    (given) => new Set(Object.keys(given).map((one) => one.toLowerCase())).size === Object.keys(given).length,
    'must name each header once; upper and lower case make no difference',
  );

/** The header of an API key; `Authorization` may be one. */
const isKeyHeader = (value: string): boolean =>
  isHeaderName(value) && (!isReservedHeader(value) || value.toLowerCase() === 'authorization');

/** Empty texts take back what was set. */
const settings = {
  authType: enumOf(authTypes),
  authHeaderName: z
    .string()
    .trim()
    .max(250)
    .refine((value) => value === '' || isKeyHeader(value), 'must be the name of a free header'),
  authHeaderValue: longValue,
  timeoutSeconds: z.int(),
  filterExpression,
  headers,
  maxConcurrent: z.int().min(1).max(MOST_CONCURRENT),
  standardWebhooks: z.boolean(),
};

/** Null and what is left out mean the same: the default, or no change. */
const mayBeNull = <Shape extends z.ZodRawShape>(shape: Shape) =>
  Object.fromEntries(
    Object.entries(shape).map(([field, schema]) => [field, (schema as z.ZodType).nullable().optional()]),
  ) as unknown as { [Field in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Field]>> };

const targetUrl = z.string().trim().min(1).max(2000);

export const createSubscription = z.object({ name, topic, targetUrl, ...mayBeNull(settings) });

export const changeSubscription = z.object(
  mayBeNull({ name, targetUrl, isActive: z.boolean(), ...settings }),
);

export const pingBody = z.object({ url: z.string().trim().min(1, 'must be an address').max(2000) });

const isActiveFilter = z
  .string()
  .toLowerCase()
  .refine((text) => ['', 'true', 'false'].includes(text), 'must be true or false')
  .transform((text) => (text === '' ? undefined : text === 'true'));

/** Query of the list of subscriptions; `search` and `searchTerm` are the same. */
export const subscriptionListQuery = z.object({
  ...listFields(20),
  topic: z.string().optional(),
  isActive: isActiveFilter.optional(),
  searchTerm: z.string().trim().max(250).optional(),
});
export type SubscriptionListQuery = z.output<typeof subscriptionListQuery>;

/** A subscription, as far as anybody may see it. */
export interface ShownSubscription {
  readonly id: string;
  readonly name: string;
  readonly topic: TopicKey;
  readonly targetUrl: string;
  readonly isActive: boolean;
  readonly authType: WebhookAuthType;
  readonly authHeaderName: string | null;
  /** Only whether there is one is told. */
  readonly authHeaderValue: string | null;
  readonly timeoutSeconds: number;
  readonly filterExpression: string | null;
  /** Only their names are told. */
  readonly headers: Readonly<Record<string, string>>;
  readonly maxConcurrent: number;
  readonly standardWebhooks: boolean;
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

/** A subscription as lists show it. */
export const subscriptionListItem = (subscription: ShownSubscription, counters: SubscriptionCounters) => ({
  id: subscription.id,
  name: subscription.name,
  topic: subscription.topic,
  topicDisplayName: displayNameOf(subscription.topic),
  targetUrl: shownAddress(subscription.targetUrl),
  isActive: subscription.isActive,
  authType: subscription.authType,
  authTypeValue: authTypes[subscription.authType],
  authTypeDisplay: authTypeNames[subscription.authType],
  successCount: counters.successCount,
  failureCount: counters.failureCount,
  lastTriggeredUtc: counters.lastTriggeredUtc,
  lastSuccessUtc: counters.lastSuccessUtc,
  lastFailureUtc: counters.lastFailureUtc,
  lastErrorMessage: counters.lastErrorMessage,
  dateCreated: subscription.dateCreated,
  dateUpdated: subscription.dateUpdated,
});

/** A subscription with everything but its secrets. `recent`: the newest ten deliveries, newest first. */
export const subscriptionDetail = (
  subscription: ShownSubscription,
  counters: SubscriptionCounters,
  recent: readonly Delivery[],
) => ({
  ...subscriptionListItem(subscription, counters),
  apiVersion: '2024-01',
  format: 'Json',
  timeoutSeconds: subscription.timeoutSeconds,
  filterExpression: subscription.filterExpression,
  headers: maskedHeaders(subscription.headers),
  maxConcurrent: subscription.maxConcurrent,
  standardWebhooks: subscription.standardWebhooks,
  authHeaderName: subscription.authHeaderName,
  hasAuthHeaderValue: subscription.authHeaderValue !== null,
  recentDeliveries: recent.map(deliveryListItem),
});

const sorts: Readonly<Record<string, (subscription: ShownSubscription) => string>> = {
  name: (subscription) => subscription.name.toLowerCase(),
  topic: (subscription) => subscription.topic,
};

/** The subscriptions that a list's query asks for, in its order; one page is cut out afterwards. */
export const selectSubscriptions = <Subscription extends ShownSubscription>(
  all: readonly Subscription[],
  { topic: wanted, isActive, search, searchTerm, sortBy, ...direction }: SubscriptionListQuery,
): readonly Subscription[] => {
  const term = (searchTerm || search || '').toLowerCase();
  const found = all.filter(
    (one) =>
      (!wanted || one.topic === wanted) &&
      (isActive === undefined || one.isActive === isActive) &&
      (one.name.toLowerCase().includes(term) || shownAddress(one.targetUrl).toLowerCase().includes(term)),
  );
  const sort = Object.hasOwn(sorts, sortBy ?? '') ? sorts[sortBy ?? ''] : undefined;
  const key = sort ?? ((one: ShownSubscription) => one.dateCreated);
  const isDescending = sort === undefined || directionOf(direction) === 'desc';
  const rising = found.toSorted((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0));
  return isDescending ? rising.toReversed() : rising;
};

const listItemShape = {
  ...responseDates,
  name: z.string(),
  topic: z.string(),
  topicDisplayName: z.string(),
  targetUrl: z.string(),
  isActive: z.boolean(),
  authType: z.string(),
  authTypeValue: z.int(),
  authTypeDisplay: z.string(),
  successCount: z.int(),
  failureCount: z.int(),
  lastTriggeredUtc: z.string().nullable(),
  lastSuccessUtc: z.string().nullable(),
  lastFailureUtc: z.string().nullable(),
  lastErrorMessage: z.string().nullable(),
};

export const subscriptionPageSchema = pageSchema(z.object(listItemShape));

const detailShape = {
  ...listItemShape,
  apiVersion: z.string(),
  format: z.string(),
  timeoutSeconds: z.int(),
  filterExpression: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  maxConcurrent: z.int(),
  standardWebhooks: z.boolean(),
  authHeaderName: z.string().nullable(),
  hasAuthHeaderValue: z.boolean(),
  recentDeliveries: z.array(deliveryListItemSchema),
};

export const subscriptionDetailSchema = z.object(detailShape);
/** Shown once: to the user who makes a subscription that signs, or a new secret. */
export const createdSubscriptionSchema = z.object({ ...detailShape, secret: z.string().optional() });
export const secretSchema = z.object({ secret: z.string() });

/** How a test delivery or a ping went. */
export const trialSchema = z.object({
  success: z.boolean(),
  statusCode: z.int().nullable(),
  responseBody: z.string().nullable(),
  errorMessage: z.string().nullable(),
  durationMs: z.number(),
  deliveryId: z.string().nullable(),
});

export const topicSchema = z.object({
  key: z.string(),
  displayName: z.string(),
  description: z.string(),
  category: z.string(),
  samplePayload: z.string().nullable(),
  /** JSON Schema of `data`. */
  schema: z.looseObject({ $schema: z.string() }),
});
export const topicGroupSchema = z.object({ name: z.string(), topics: z.array(topicSchema) });
