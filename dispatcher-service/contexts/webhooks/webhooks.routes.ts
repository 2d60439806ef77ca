import type { LogProgress } from '#kernel/log-progress.ts';
import { pageResponse } from '#contracts/listing.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { zeroCounters, counterCollection, type SubscriptionCounters } from '#topics/webhook-delivery.ts';
import {
  pingBody,
  selectSubscriptions,
  subscriptionDetail,
  subscriptionDetailSchema,
  subscriptionListItem,
  subscriptionListQuery,
  subscriptionPageSchema,
  topicGroupSchema,
  topicSchema,
  trialSchema,
} from '#contracts/webhooks.contract.ts';
import { readWebhookLog } from '#runtime/webhook-log.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { WebhookReference, WebhookSubscription } from '#reference/webhooks.reference.ts';
import { topicRecords, topicsByCategory } from '#topics/topic-records.ts';
import { ping, sendTest, type TrialDeps } from './try-receiver.ts';
import { onceSeen } from '../../engine/once-seen.ts';
import { known } from './known-subscription.ts';
import { statsRoutes } from './webhook-stats.routes.ts';

export interface WebhookRoutesDeps extends TrialDeps {
  readonly webhooks: WebhookReference;
  /** Keeps `webhooks` up to date. */
  readonly reference: Pick<LogProgress, 'waitFor'>;
  /** Turns the log into deliveries. */
  readonly follower: Pick<LogProgress, 'waitFor'>;
}

const common = {
  base: 'management',
  service: 'dispatcher',
  file: import.meta.url,
} as const;

const countersOf = async (
  stateStore: DocumentStore,
  subscriptions: readonly WebhookSubscription[],
): Promise<(id: string) => SubscriptionCounters> => {
  const ids = subscriptions.map(({ id }) => id);
  const found = await stateStore.getMany<SubscriptionCounters>(counterCollection, ids);
  const byId = new Map(found.map((counters) => [counters._id, counters]));
  return (id) => byId.get(id) ?? zeroCounters(id);
};

const subscriptionRoutes = ({ stateStore, webhooks, reference }: WebhookRoutesDeps): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path: '/webhooks',
    caller: reader,
    summary: 'List webhook subscriptions, newest first, by page',
    schemas: { query: subscriptionListQuery },
    response: subscriptionPageSchema,
    handle: (request) =>
      onceSeen([reference], request, async () => {
        const { query } = request;
        const found = selectSubscriptions(webhooks.subscriptions(), query);
        const first = (query.page - 1) * query.pageSize;
        const page = found.slice(first, first + query.pageSize);
        const countersFor = await countersOf(stateStore, page);
        const items = page.map((one) => subscriptionListItem(one, countersFor(one.id)));
        return ok(pageResponse(items, found.length, query));
      }),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/webhooks/{id}',
    caller: reader,
    summary: 'Show a webhook subscription with its ten newest deliveries',
    schemas: { params: entityParams },
    response: subscriptionDetailSchema,
    errors: ['entity-not-found'],
    handle: (request) =>
      onceSeen([reference], request, async () => {
        const subscription = known(webhooks, request.params.id);
        const { counters, recent } = await readWebhookLog(stateStore, subscription.id);
        return ok(subscriptionDetail(subscription, counters, recent));
      }),
  }),
];

const topicRoutes = (): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path: '/webhooks/topics',
    caller: reader,
    summary: 'List the topics that one can subscribe to, with a sample and the JSON Schema of each',
    response: topicSchema.array(),
    handle: async () => ok(topicRecords()),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/webhooks/topics/by-category',
    caller: reader,
    summary: 'List the topics by category',
    response: topicGroupSchema.array(),
    handle: async () => ok(topicsByCategory()),
  }),
];

const trialRoutes = (deps: WebhookRoutesDeps): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    path: '/webhooks/{id}/test',
    caller: admin,
    summary: "Send the topic's sample to a subscription and tell how it went",
    schemas: { params: entityParams },
    response: trialSchema,
    errors: ['entity-not-found'],
    handle: (request) =>
      onceSeen([deps.reference], request, async () =>
        ok(await sendTest(deps, known(deps.webhooks, request.params.id))),
      ),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/webhooks/ping',
    caller: admin,
    summary: 'Check whether an address responds',
    schemas: { body: pingBody },
    response: trialSchema,
    errors: ['invalid-request'],
    handle: async ({ body }) => ok(await ping(deps, body.url)),
  }),
];

/** What there is to know of subscriptions, and trying them out; the command service changes them. */
export const webhookRoutes = (deps: WebhookRoutesDeps): readonly Route[] => [
  ...subscriptionRoutes(deps),
  ...topicRoutes(),
  ...trialRoutes(deps),
  ...statsRoutes(deps),
];
