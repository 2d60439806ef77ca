import {
  carrierParams,
  carriersResponse,
  carriersOfWarehouseResponse,
  fieldsResponse,
  warehouseQuery,
} from '#contracts/shipping.contract.ts';
import { shippingProvider, type ShippingProvider } from '#entities/shipping-provider.entity.ts';
import { warehouse, type Warehouse } from '#entities/warehouse.entity.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import type { Document } from '#kernel/projection.ts';
import { carrierOf, carriers, warehouseFields } from '#values/carriers.ts';
import type { ProviderField } from '#values/provider-field.ts';
import type { EntityDocument } from '../../entity-document.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';

const common = {
  method: 'GET',
  base: 'management',
  service: 'projection',
  caller: reader,
  file: import.meta.url,
} as const;
const MOST_PROVIDERS = 200;

type Kept<Fields> = EntityDocument<Fields> & Document;

const fieldsRoute = (
  path: `/${string}`,
  summary: string,
  fieldsOf: (key: string) => readonly ProviderField[],
): Route =>
  route({
    ...common,
    path,
    summary,
    schemas: { params: carrierParams },
    response: fieldsResponse,
    errors: ['entity-not-found'],
    handle: async ({ params: { providerKey } }) => {
      if (!carrierOf(providerKey)) throw notFound('carrier');
      return ok(fieldsOf(providerKey).map(({ range: _, ...field }) => field));
    },
  });

const ofWarehouseRoute = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/shipping-providers/available-for-warehouse',
    summary: 'The carriers of the shop, and whether a warehouse has them asked',
    schemas: { query: warehouseQuery },
    response: carriersOfWarehouseResponse,
    errors: ['entity-not-found'],
    reads: [{ name: shippingProvider.list }, { name: warehouse.list }],
    handle: async ({ query: { warehouseId } }) => {
      const found = await deps.reader.get<Kept<Warehouse>>(warehouse.list, warehouseId);
      if (!found) throw notFound(warehouse.noun);
      const providers = await deps.reader.find<Kept<ShippingProvider>>(shippingProvider.list, {
        filter: {},
        sort: [['fields.sortOrder', 1]],
        limit: MOST_PROVIDERS,
      });
      return ok(
        providers.map(({ fields: { providerKey, isEnabled } }) => {
          const own = found.fields.providerConfigs.find((one) => one.providerKey === providerKey);
          return {
            providerKey,
            displayName: carrierOf(providerKey)?.displayName ?? providerKey,
            isEnabled,
            isEnabledInWarehouse: own?.isEnabled ?? false,
            markUpPercent: own?.markUpPercent ?? 0,
            daysFrom: own?.daysFrom ?? null,
            daysTo: own?.daysTo ?? null,
          };
        }),
      );
    },
  });

/** What staff read of carriers (docs/rules/shipping.md#carriers). */
export const carrierRoutes = (deps: ProjectionDeps): readonly Route[] => [
  route({
    ...common,
    path: '/shipping-providers/available',
    summary: 'Every carrier that the shop can ask',
    response: carriersResponse,
    handle: async () =>
      ok(
        carriers.map(({ key, displayName, description, services }) => ({
          providerKey: key,
          displayName,
          description,
          services,
        })),
      ),
  }),
  fieldsRoute(
    '/shipping-providers/{providerKey}/fields',
    'The settings of a carrier',
    (key) => carrierOf(key)?.fields ?? [],
  ),
  fieldsRoute(
    '/shipping-providers/{providerKey}/method-config',
    'What a warehouse sets for a carrier',
    () => warehouseFields,
  ),
  ofWarehouseRoute(deps),
];
