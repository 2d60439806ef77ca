import { basketSummaryAnswer } from '#contracts/basket-answer.ts';
import { presentationOf } from '#contracts/basket-line-answer.ts';
import {
  basketCountAnswer,
  basketQuery,
  basketReadAnswer,
  contextAnswer,
} from '#contracts/storefront.contract.ts';
import { countryCookie, regionCookie } from '#http/cookies.ts';
import { ok, route, visitor, type Route, type RouteRequest } from '#http/route.ts';
import { currentLocation, locationOf, type Location } from '#reference/location.ts';
import { decimalsOf, symbolOf } from '#values/currency.ts';
import { isCountry } from '#values/region.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { basketProjection, type BasketDocument } from './basket.projection.ts';
import { basketAvailability, createBasketTexts, shownBasket, withMembers } from './basket.queries.ts';

const file = import.meta.url;
const common = { method: 'GET', base: 'storefront', service: 'projection', caller: visitor, file } as const;

type Asked = Pick<RouteRequest, 'cookies' | 'basketId' | 'position'>;

interface AskedPlace {
  readonly countryCode?: string | undefined;
  readonly regionCode?: string | undefined;
}

/** Reading changes nothing: an unknown basket, or none, is the empty form, and nobody gets a row or a cookie. */
const createBasketReader = (deps: ProjectionDeps) => {
  const basketOf = async ({ basketId }: Asked): Promise<BasketDocument | null> =>
    basketId === null
      ? null
      : shownBasket(await deps.reader.get<BasketDocument>(basketProjection.name, basketId));

  /** A country that is asked for by name is answered for, also one that the shop does not deliver to. */
  const locationOfShopper = ({ cookies }: Asked, asked: AskedPlace = {}): Location => {
    if (asked.countryCode !== undefined && isCountry(asked.countryCode)) {
      return locationOf(asked.countryCode, asked.regionCode ?? null);
    }
    const chosen = { countryCode: cookies[countryCookie], regionCode: cookies[regionCookie] };
    return currentLocation(chosen, deps.settings(), deps.reference.shipping);
  };

  return { basketOf, locationOfShopper, presentation: () => presentationOf(deps.settings()) };
};

type BasketReader = ReturnType<typeof createBasketReader>;

const contextRoute = (baskets: BasketReader): Route =>
  route({
    ...common,
    path: '/context',
    summary: 'Where the shopper is, in which currency, and how full the basket is',
    answer: contextAnswer,
    reads: [basketProjection],
    handle: async (request) => {
      const presentation = baskets.presentation();
      const { currency } = presentation.display;
      const { countryCode, countryName, regionCode, regionName } = baskets.locationOfShopper(request);
      return ok({
        success: true,
        message: '',
        location: { countryCode, countryName, regionCode, regionName },
        currency: {
          currencyCode: currency,
          currencySymbol: symbolOf(currency),
          decimalPlaces: decimalsOf(currency),
        },
        basket: basketSummaryAnswer(await baskets.basketOf(request), presentation),
      });
    },
  });

const basketRoute = (deps: ProjectionDeps, baskets: BasketReader): Route => {
  const textOf = createBasketTexts();
  return route({
    ...common,
    path: '/basket',
    summary: 'The basket, on request with the availability of its lines',
    schemas: { query: basketQuery },
    answer: basketReadAnswer,
    reads: [basketProjection],
    handle: async (request) => {
      const basket = await baskets.basketOf(request);
      const text = textOf(basket, baskets.presentation());
      if (!request.query.includeAvailability) return { status: 200, text };
      const location = baskets.locationOfShopper(request, request.query);
      const lines = basket?.lines ?? [];
      const availability = basketAvailability(lines, location, deps.reference, deps.settings());
      return { status: 200, text: withMembers(text, availability) };
    },
  });
};

const countRoute = (baskets: BasketReader): Route =>
  route({
    ...common,
    path: '/basket/count',
    summary: 'How full the basket is',
    answer: basketCountAnswer,
    reads: [basketProjection],
    handle: async (request) => {
      const summary = basketSummaryAnswer(await baskets.basketOf(request), baskets.presentation());
      return ok({ success: true, message: '', ...summary });
    },
  });

/** Baskets, to be read (docs/rules/basket.md#answers); what changes them is the command service's. */
export const basketRoutes = (deps: ProjectionDeps): readonly Route[] => {
  const baskets = createBasketReader(deps);
  return [contextRoute(baskets), basketRoute(deps, baskets), countRoute(baskets)];
};
