import type { Delivery } from '#topics/webhook-delivery.ts';
import { readable } from '#dispatcher/engine/readable.ts';
import { deliveryRoutes } from '#dispatcher/contexts/webhooks/deliveries.routes.ts';
import { createFilterMatcher } from '#dispatcher/contexts/webhooks/filter.ts';
import { replayRoutes } from '#dispatcher/contexts/webhooks/replays/replays.routes.ts';
import { subscriptionEventsRoutes } from '#dispatcher/contexts/webhooks/subscription-events.routes.ts';
import { webhookRoutes } from '#dispatcher/contexts/webhooks/webhooks.routes.ts';
import { Api, asAdmin } from './api.ts';
import type { WebhookRuntime } from './open-webhooks.ts';

/** The dispatcher's endpoints, called by an admin. */
export const openWebhookApi = (runtime: WebhookRuntime): Promise<Api> => {
  const deps = {
    stateStore: runtime.stores.stateStore,
    clock: runtime.clock,
    readable: (delivery: Delivery) => readable(runtime.personalTexts, delivery),
    webhooks: runtime.webhooks,
    reference: runtime.follower,
    follower: runtime.dispatch.follower,
    attempts: runtime.dispatch.attempts,
    counter: runtime.dispatch.counter,
    sender: runtime.sender,
    settings: runtime.settings,
    deliveryLogs: [],
    isAdmin: () => Promise.resolve(true),
    topicLog: runtime.topicLog,
    replays: runtime.replays,
    matches: createFilterMatcher(() => undefined),
  };
  const routes = [
    ...webhookRoutes(deps),
    ...deliveryRoutes(deps),
    ...subscriptionEventsRoutes(deps),
    ...replayRoutes(deps),
  ];
  return Api.open(routes, { headers: asAdmin });
};
