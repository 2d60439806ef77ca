import {
  availableProvidersResponse,
  providerKeyParams,
  providerOptionsResponse,
} from '#contracts/fulfilment.contract.ts';
import { providerFieldsResponse } from '#contracts/provider-fields.contract.ts';
import {
  fulfilmentProviderConfiguration as entity,
  type FulfilmentProviderConfiguration,
} from '#entities/fulfilment-provider-configuration.entity.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import type { Document } from '#kernel/projection.ts';
import {
  fulfilmentProviderOf,
  fulfilmentProviders,
  type FulfilmentProviderDescription,
} from '#values/fulfilment-providers.ts';
import { shownField } from '#values/provider-field.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import type { EntityDocument } from '../../entity-document.ts';

const common = {
  method: 'GET',
  base: 'management',
  service: 'projection',
  caller: reader,
  file: import.meta.url,
} as const;
const MOST_OPTIONS = 200;

const capabilitiesOf = (known: FulfilmentProviderDescription) => ({
  supportsOrderSubmission: known.supportsOrderSubmission,
  supportsOrderCancellation: known.supportsOrderCancellation,
  supportsWebhooks: known.supportsWebhooks,
  supportsPolling: known.supportsPolling,
  supportsProductSync: known.supportsProductSync,
  supportsInventorySync: known.supportsInventorySync,
  createsShipmentOnSubmission: known.createsShipmentOnSubmission,
});

const optionsRoute = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/fulfilment-providers/options',
    summary: 'The fulfilment providers that warehouses and suppliers may name',
    response: providerOptionsResponse,
    reads: [{ name: entity.list }],
    handle: async () => {
      type Kept = EntityDocument<FulfilmentProviderConfiguration> & Document;
      const kept = await deps.reader.find<Kept>(entity.list, {
        filter: {},
        sort: [['fields.sortOrder', 1]],
        limit: MOST_OPTIONS,
      });
      return ok(
        kept.flatMap(({ _id: id, fields: { providerKey, displayName, isEnabled } }) => {
          const known = fulfilmentProviderOf(providerKey);
          if (!known) return [];
          const named = { id, configurationId: id, providerKey, displayName, isEnabled };
          return [{ ...named, ...capabilitiesOf(known) }];
        }),
      );
    },
  });

/** What staff read of fulfilment providers (docs/rules/fulfilment.md#providers). */
export const fulfilmentProviderRoutes = (deps: ProjectionDeps): readonly Route[] => [
  route({
    ...common,
    path: '/fulfilment-providers/available',
    summary: 'Every kind of fulfilment provider that can be set up',
    response: availableProvidersResponse,
    handle: async () => ok(fulfilmentProviders.map(({ fields: _, ...known }) => known)),
  }),
  optionsRoute(deps),
  route({
    ...common,
    path: '/fulfilment-providers/{providerKey}/fields',
    summary: 'The settings of a kind of fulfilment provider',
    schemas: { params: providerKeyParams },
    response: providerFieldsResponse,
    errors: ['entity-not-found'],
    handle: async ({ params: { providerKey } }) => {
      const known = fulfilmentProviderOf(providerKey);
      if (!known) throw notFound('fulfilment provider');
      return ok(known.fields.map(shownField));
    },
  }),
];
