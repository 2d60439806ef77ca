import { basketSummaryResponse, checkoutBasketResponse } from '#contracts/basket-response.ts';
import { checkoutBasketFields } from '#contracts/basket.contract.ts';
import {
  basketCountResponse,
  basketQuery,
  basketReadResponse,
  contextResponse,
} from '#contracts/storefront.contract.ts';
import { ok, route, visitor, type Route } from '#http/route.ts';
import { decimalsOf, symbolOf } from '#values/currency.ts';
import { referenceState, type ProjectionDeps } from '../../engine/service-deps.ts';
import { availabilityRoutes } from './availability.routes.ts';
import { basketProjection } from './basket.projection.ts';
import { basketAvailability, createBasketTexts, withMembers } from './basket.queries.ts';
import { createBasketReader, type BasketReader } from './basket-reader.ts';

const file = import.meta.url;
const common = { method: 'GET', base: 'storefront', service: 'projection', caller: visitor, file } as const;

const contextRoute = (baskets: BasketReader): Route =>
  route({
    ...common,
    path: '/context',
    summary: 'Where the shopper is, in which currency, and how full the basket is',
    response: contextResponse,
    reads: [basketProjection, referenceState],
    handle: async (request) => {
      const presentation = baskets.presentation(request);
      const { currency } = presentation.display;
      const { countryCode, countryName, regionCode, regionName } = baskets.locationOfShopper(request);
      const basket = await baskets.basketOf(request);
      const reply = ok({
        success: true,
        message: '',
        location: { countryCode, countryName, regionCode, regionName },
        currency: {
          currencyCode: currency,
          currencySymbol: symbolOf(currency),
          decimalPlaces: decimalsOf(currency),
        },
        basket: basketSummaryResponse(basket, presentation),
      });
      return baskets.showing(reply, request, basket);
    },
  });

const basketRoute = (deps: ProjectionDeps, baskets: BasketReader): Route => {
  const textOf = createBasketTexts();
  return route({
    ...common,
    path: '/basket',
    summary: 'The basket, on request with the availability of its lines',
    schemas: { query: basketQuery },
    response: basketReadResponse,
    reads: [basketProjection, referenceState],
    handle: async (request) => {
      const basket = await baskets.basketOf(request);
      const text = textOf(basket, baskets.presentation(request));
      if (!request.query.includeAvailability) return baskets.showing({ status: 200, text }, request, basket);
      const location = baskets.locationOfShopper(request, request.query);
      const lines = basket?.lines ?? [];
      const availability = basketAvailability(lines, location, deps.reference, deps.settings());
      return baskets.showing({ status: 200, text: withMembers(text, availability) }, request, basket);
    },
  });
};

const countRoute = (baskets: BasketReader): Route =>
  route({
    ...common,
    path: '/basket/count',
    summary: 'How full the basket is',
    response: basketCountResponse,
    reads: [basketProjection],
    handle: async (request) => {
      const basket = await baskets.basketOf(request);
      const summary = basketSummaryResponse(basket, baskets.presentation(request));
      return baskets.showing(ok({ success: true, message: '', ...summary }), request, basket);
    },
  });

/** Without success and message: an empty basket is nothing but currency here (docs/rules/basket.md#answers). */
const checkoutRoute = (baskets: BasketReader): Route =>
  route({
    ...common,
    base: 'checkout',
    path: '/basket',
    summary: 'The basket, as checkout shows it',
    response: checkoutBasketFields,
    reads: [basketProjection],
    handle: async (request) => {
      const basket = await baskets.basketOf(request);
      const answer = checkoutBasketResponse(basket?._id ?? '', basket, baskets.presentation(request));
      return baskets.showing(ok(answer), request, basket);
    },
  });

/** Baskets, to be read (docs/rules/basket.md#answers); what changes them is the command service's. */
export const basketRoutes = (deps: ProjectionDeps): readonly Route[] => {
  const baskets = createBasketReader(deps);
  return [
    contextRoute(baskets),
    basketRoute(deps, baskets),
    countRoute(baskets),
    checkoutRoute(baskets),
    ...availabilityRoutes(deps, baskets),
  ];
};
