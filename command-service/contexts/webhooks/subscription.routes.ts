import { idOfCreated } from '#command/engine/command-meta.ts';
import { managementPath } from '#command/engine/entity-routes.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import { zeroCounters } from '#topics/webhook-delivery.ts';
import {
  changeSubscription,
  createdSubscriptionSchema,
  createSubscription,
  secretSchema,
  subscriptionDetail,
  subscriptionDetailSchema,
} from '#contracts/webhooks.contract.ts';
import { isSigning } from '#events/webhook.events.ts';
import { entityParams } from '#contracts/management.contract.ts';
import type { SubscriptionLog } from '#runtime/webhook-log.ts';
import { admin, created, noContent, ok, route, type Route } from '#http/route.ts';
import type { SubscriptionActions } from './subscription.actions.ts';

export interface SubscriptionRoutesOptions {
  readonly actions: SubscriptionActions;
  /** What the dispatcher has written down about a subscription. */
  readonly logOf: (subscriptionId: string) => Promise<SubscriptionLog>;
}

const common = {
  base: 'management',
  service: 'command',
  caller: admin,
  file: import.meta.url,
} as const;

const subscribe = (actions: SubscriptionActions): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/webhooks',
    summary: 'Subscribe to a topic; the answer shows the signing secret once',
    schemas: { body: createSubscription },
    response: createdSubscriptionSchema,
    status: 201,
    errors: ['invalid-request'],
    isIdempotent: true,
    handle: async (request) => {
      const id = idOfCreated('webhook', request);
      const saved = await actions.create(id, request.body, metaOf(request));
      const { subscription, secret, position } = saved;
      const detail = subscriptionDetail(subscription, zeroCounters(id), []);
      const answer = isSigning(subscription.authType) ? { ...detail, secret } : detail;
      return created(`${managementPath}/webhooks/${id}`, answer, { position });
    },
  });

/**
 * Everything that changes a subscription; the dispatcher answers the rest (docs/architecture.md#which-service-answers).
 */
export const subscriptionRoutes = ({ actions, logOf }: SubscriptionRoutesOptions): readonly Route[] => [
  subscribe(actions),
  route({
    ...common,
    method: 'PUT',
    path: '/webhooks/{id}',
    summary: 'Change a subscription: the given fields are replaced, the topic stays',
    schemas: { params: entityParams, body: changeSubscription },
    response: subscriptionDetailSchema,
    errors: ['invalid-request', 'entity-not-found'],
    handle: async (request) => {
      const { id } = request.params;
      const { subscription, position } = await actions.change(id, request.body, metaOf(request));
      const { counters, recent } = await logOf(id);
      return ok(subscriptionDetail(subscription, counters, recent), { position });
    },
  }),
  route({
    ...common,
    method: 'DELETE',
    path: '/webhooks/{id}',
    summary: 'Unsubscribe; the log of deliveries stays',
    schemas: { params: entityParams },
    errors: ['entity-not-found'],
    handle: async (request) =>
      noContent({ position: await actions.remove(request.params.id, metaOf(request)) }),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/webhooks/{id}/regenerate-secret',
    summary: 'Make a new signing secret; the old one signs nothing more',
    schemas: { params: entityParams },
    response: secretSchema,
    errors: ['entity-not-found'],
    handle: async (request) => {
      const { secret, position } = await actions.regenerateSecret(request.params.id, metaOf(request));
      return ok({ secret }, { position });
    },
  }),
];
