import {
  basketAvailabilityResponse,
  productAvailabilityResponse,
  productAvailabilityQuery,
  productParams,
} from '#contracts/storefront.contract.ts';
import { placeQuery } from '#contracts/places.contract.ts';
import { ok, route, visitor, type Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import { productAvailability } from '#reference/availability.ts';
import { referenceState, type ProjectionDeps } from '../../engine/service-deps.ts';
import { basketProjection } from './basket.projection.ts';
import { basketAvailability } from './basket.queries.ts';
import type { BasketReader } from './basket-reader.ts';

const file = import.meta.url;
const common = { method: 'GET', base: 'storefront', service: 'projection', caller: visitor, file } as const;

/** What can be had at a place (docs/rules/inventory.md#availability). */
export const availabilityRoutes = (deps: ProjectionDeps, baskets: BasketReader): readonly Route[] => [
  route({
    ...common,
    path: '/basket/availability',
    summary: 'Whether each line of the basket can be had at a place',
    schemas: { query: placeQuery },
    response: basketAvailabilityResponse,
    reads: [basketProjection, referenceState],
    handle: async (request) => {
      const basket = await baskets.basketOf(request);
      const location = baskets.locationOfShopper(request, request.query);
      const { availability: items, allItemsAvailable } = basketAvailability(
        basket?.lines ?? [],
        location,
        deps.reference,
        deps.settings(),
      );
      return ok({ success: true, message: '', allItemsAvailable, items });
    },
  }),
  route({
    ...common,
    path: '/products/{productId}/availability',
    summary: 'Whether a quantity of a product can be delivered to a place',
    schemas: { params: productParams, query: productAvailabilityQuery },
    response: productAvailabilityResponse,
    errors: ['entity-not-found'],
    reads: [referenceState],
    handle: async (request) => {
      const { params, query } = request;
      const sellable = deps.reference.catalogue.variant(params.productId);
      if (!sellable) throw new Rejection('entity-not-found', 'There is no such product.');
      const location = baskets.locationOfShopper(request, query);
      const settings = deps.settings();
      const found = productAvailability(deps.reference, sellable, query.quantity, location, settings);
      return ok({ success: true, ...found, message: found.statusMessage });
    },
  }),
];
