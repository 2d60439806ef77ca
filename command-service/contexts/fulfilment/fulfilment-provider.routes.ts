import type { EntityActions } from '#command/engine/entity.actions.ts';
import { toggleRoute } from '#command/engine/entity-routes.ts';
import { entityParams } from '#contracts/management.contract.ts';
import {
  connectionTestResponse,
  orderTestResponse,
  webhookEventsResponse,
} from '#contracts/fulfilment.contract.ts';
import type { FulfilmentProviderConfiguration } from '#entities/fulfilment-provider-configuration.entity.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import type { KnownConfigurations } from './known-configuration.ts';
import { submitTestOrder } from './test-order.ts';

const common = {
  base: 'management',
  service: 'command',
  caller: admin,
  file: import.meta.url,
} as const;

export interface FulfilmentProviderRouteDeps {
  readonly actions: EntityActions<FulfilmentProviderConfiguration, FulfilmentProviderConfiguration>;
  readonly known: KnownConfigurations;
  readonly currency: () => string;
}

const testRoutes = ({ known, currency }: FulfilmentProviderRouteDeps): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    path: '/fulfilment-providers/{id}/test',
    summary: 'Ask a fulfilment provider whether it is there, whether it is on or not',
    schemas: { params: entityParams },
    response: connectionTestResponse,
    errors: ['entity-not-found'],
    handle: async ({ params: { id } }) => {
      const { provider, settings } = known.get(id);
      return ok(await provider.testConnection(settings.configuration));
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/fulfilment-providers/{id}/test/order',
    summary: 'Send a fulfilment provider a test order',
    schemas: { params: entityParams },
    response: orderTestResponse,
    errors: ['entity-not-found'],
    handle: async ({ params: { id } }) => ok(await submitTestOrder(known.get(id), currency())),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/fulfilment-providers/{id}/test/webhook-events',
    summary: 'The callbacks of a fulfilment provider that can be tried out',
    schemas: { params: entityParams },
    response: webhookEventsResponse,
    errors: ['entity-not-found'],
    handle: async ({ params: { id } }) => ok(known.get(id).provider.testableEvents ?? []),
  }),
];

/** Activating and trying out providers; the rest is as for every resource. */
export const fulfilmentProviderRoutes = (deps: FulfilmentProviderRouteDeps): readonly Route[] => [
  toggleRoute(deps.actions, { file: import.meta.url, path: '/fulfilment-providers/{id}/toggle' }),
  ...testRoutes(deps),
];
