import { searchQuery, pageResponse, pageSchema } from '#contracts/listing.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { countriesResponse } from '#contracts/places.contract.ts';
import { shippingOption, type ShippingOption } from '#entities/shipping-option.entity.ts';
import { warehouse } from '#entities/warehouse.entity.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import { servesSomeOf } from '#reference/location.ts';
import { countries } from '#values/region.ts';
import type { Document } from '#kernel/projection.ts';
import { entityOf, type EntityDocument } from '../../entity-document.ts';
import { searchFilter } from '../../engine/entity-routes.ts';
import { referenceState, type ProjectionDeps } from '../../engine/service-deps.ts';

const common = {
  method: 'GET',
  base: 'management',
  service: 'projection',
  caller: reader,
  file: import.meta.url,
} as const;

type KeptOption = EntityDocument<ShippingOption> & Document;

/** What belongs to one warehouse. */
export const warehouseRoutes = (deps: ProjectionDeps): readonly Route[] => [
  route({
    ...common,
    path: '/warehouses/{id}/shipping-options',
    summary: 'The shipping options of a warehouse, newest first, by page',
    schemas: { params: entityParams, query: searchQuery },
    response: pageSchema(shippingOption.response),
    errors: ['entity-not-found'],
    reads: [{ name: shippingOption.list }, { name: warehouse.list }],
    handle: async ({ params: { id }, query }) => {
      if (!(await deps.reader.get(warehouse.list, id))) throw notFound(warehouse.noun);
      const filter = { 'fields.warehouseId': id, ...searchFilter(query.search) };
      const { page, pageSize } = query;
      const [documents, total] = await Promise.all([
        deps.reader.find<KeptOption>(shippingOption.list, {
          filter,
          sort: [['dateCreated', -1]],
          skip: (page - 1) * pageSize,
          limit: pageSize,
        }),
        deps.reader.count(shippingOption.list, filter),
      ]);
      const { find } = deps.reference.entities;
      const showing = { currency: deps.settings().storeCurrencyCode, figures: {}, find };
      const rows = documents.map((document) => shippingOption.toResponse(entityOf(document), showing));
      return ok(pageResponse(rows, total, query));
    },
  }),
  route({
    ...common,
    path: '/warehouses/{id}/available-destinations',
    summary: 'The countries that a warehouse delivers to, be it to some of their regions',
    schemas: { params: entityParams },
    response: countriesResponse,
    errors: ['entity-not-found'],
    reads: [referenceState],
    handle: async ({ params: { id } }) => {
      const found = deps.reference.shipping.warehouse(id);
      if (!found) throw notFound(warehouse.noun);
      return ok(countries().filter(({ code }) => servesSomeOf(found, code)));
    },
  }),
];
