import { stepMeta } from '#command/engine/command-meta.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import { syncLogResponse, syncLogQuery } from '#contracts/fulfilment.contract.ts';
import { pageResponse, pageSchema } from '#contracts/listing.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import type { KnownConfigurations } from '../known-configuration.ts';
import type { SyncLog } from './sync-logs.ts';
import type { Syncs } from './syncs.actions.ts';

const common = { base: 'management', service: 'command', file: import.meta.url } as const;

const labels: Readonly<Record<SyncLog['syncType'], string>> = {
  ProductsOut: 'Products to the provider',
  InventoryIn: 'Stock from the provider',
};

const showing =
  (known: KnownConfigurations) =>
  (row: SyncLog): object => {
    const { _id: id, instance: _, run: __, leasedUntil: ___, ...said } = row;
    const name = known.find(row.providerConfigurationId)?.settings.displayName ?? null;
    const { syncType, status } = row;
    return {
      id,
      ...said,
      providerDisplayName: name,
      syncTypeLabel: labels[syncType],
      statusLabel: status,
    };
  };

/** Syncs with fulfilment providers, and their log (docs/rules/fulfilment.md#syncs). */
export const syncRoutes = (syncs: Syncs, known: KnownConfigurations): readonly Route[] => {
  const show = showing(known);
  const start = (path: string, summary: string, syncType: SyncLog['syncType']): Route =>
    route({
      ...common,
      method: 'POST',
      caller: admin,
      path: `/fulfilment-providers/{id}/sync/${path}`,
      summary,
      schemas: { params: entityParams },
      response: syncLogResponse,
      status: 202,
      errors: ['entity-not-found', 'invalid-request', 'run-under-way'],
      handle: async (request) => {
        const row = await syncs.start(request.params.id, syncType, stepMeta(metaOf(request)));
        return { status: 202, json: show(row) };
      },
    });
  return [
    start('products', 'Tell a fulfilment provider of every product that it may send', 'ProductsOut'),
    start('inventory', 'Take over what a fulfilment provider has in stock', 'InventoryIn'),
    route({
      ...common,
      method: 'GET',
      caller: reader,
      path: '/fulfilment-providers/sync-logs',
      summary: 'Syncs with fulfilment providers, the latest first',
      schemas: { query: syncLogQuery },
      response: pageSchema(syncLogResponse),
      handle: async ({ query }) => {
        const { items, total } = await syncs.list(query);
        return ok(pageResponse(items.map(show), total, query));
      },
    }),
    route({
      ...common,
      method: 'GET',
      caller: reader,
      path: '/fulfilment-providers/sync-logs/{id}',
      summary: 'How a sync with a fulfilment provider went',
      schemas: { params: entityParams },
      response: syncLogResponse,
      errors: ['entity-not-found'],
      handle: async ({ params: { id } }) => {
        const row = await syncs.load(id);
        if (!row) throw notFound('sync');
        return ok(show(row));
      },
    }),
  ];
};
