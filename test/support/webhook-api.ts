import { deliveryRoutes } from '#dispatcher/contexts/webhooks/deliveries.routes.ts';
import { webhookRoutes } from '#dispatcher/contexts/webhooks/webhooks.routes.ts';
import { Api, asAdmin } from './api.ts';
import type { WebhookHouse } from './webhook-house.ts';

/** The dispatcher's endpoints, called by an admin. */
export const openWebhookApi = (house: WebhookHouse): Promise<Api> => {
  const deps = {
    stateStore: house.stores.stateStore,
    clock: house.clock,
    webhooks: house.webhooks,
    reference: house.follower,
    follower: house.dispatch.follower,
    attempts: house.dispatch.attempts,
    tallies: house.dispatch.tallies,
    sender: house.sender,
    settings: house.settings,
  };
  return Api.open([...webhookRoutes(deps), ...deliveryRoutes(deps)], { headers: asAdmin });
};
