import { currencyDetails } from '#contracts/currency.contract.ts';
import { countriesResponse, countryParams, regionsResponse } from '#contracts/places.contract.ts';
import { shippingCountriesResponse, shippingRegionsResponse } from '#contracts/storefront.contract.ts';
import { currencyCookie, placeOf } from '#http/cookies.ts';
import { ok, route, visitor, type Route, type RouteRequest } from '#http/route.ts';
import { placesServed } from '#reference/availability.ts';
import { presentationFor } from '#reference/presentation.ts';
import { currentLocation, shippingCountries, shippingRegions } from '#reference/location.ts';
import { countries, regionsOf } from '#values/region.ts';
import { referenceState, type ProjectionDeps } from '../../engine/service-deps.ts';
import { basketProjection, isShownTo, type BasketDocument } from '../basket/basket.projection.ts';

const file = import.meta.url;
const common = { method: 'GET', service: 'projection', file } as const;

const storefrontRoutes = (deps: ProjectionDeps): readonly Route[] => [
  route({
    ...common,
    base: 'storefront',
    caller: visitor,
    path: '/shipping/countries',
    summary: 'The countries that the shop delivers to, and where the shopper is',
    response: shippingCountriesResponse,
    reads: [referenceState],
    handle: async ({ cookies }) => {
      const place = currentLocation(placeOf(cookies), deps.settings(), deps.reference.shipping);
      const { currency } = presentationFor(deps, cookies[currencyCookie]).display;
      return ok({
        success: true,
        message: '',
        countries: shippingCountries(deps.reference.shipping),
        currentCountry: { code: place.countryCode, name: place.countryName },
        currentRegionCode: place.regionCode,
        currentRegionName: place.regionName,
        currency: currencyDetails(currency),
      });
    },
  }),
  route({
    ...common,
    base: 'storefront',
    caller: visitor,
    path: '/shipping/countries/{countryCode}/regions',
    summary: 'The regions of a country that the shop delivers to',
    schemas: { params: countryParams },
    response: shippingRegionsResponse,
    reads: [referenceState],
    handle: async ({ params: { countryCode } }) => {
      const regions = shippingRegions(deps.reference.shipping, countryCode);
      return ok({ success: true, message: '', countryCode, regions });
    },
  }),
];

/** What is in the basket that is being checked out; nothing of one that has been bought. */
const goodsOf = async (
  { reader: views, reference }: ProjectionDeps,
  { basketId, actor }: Pick<RouteRequest, 'basketId' | 'actor'>,
) => {
  if (basketId === null) return [];
  const basket = await views.get<BasketDocument>(basketProjection.name, basketId);
  if (basket === null || basket.status === 'completed' || !isShownTo(basket, actor)) return [];
  return basket.lines.flatMap(({ productId }) => reference.catalogue.variant(productId) ?? []);
};

const checkoutRoutes = (deps: ProjectionDeps): readonly Route[] => {
  const { reference } = deps;
  const list = { ...common, base: 'checkout', caller: visitor } as const;
  return [
    route({
      ...list,
      path: '/shipping/countries',
      summary: 'The countries that the shop delivers to',
      response: countriesResponse,
      reads: [referenceState],
      handle: async () => ok(shippingCountries(reference.shipping)),
    }),
    route({
      ...list,
      path: '/shipping/regions/{countryCode}',
      summary: 'The regions of a country to which everything in the basket can be sent',
      schemas: { params: countryParams },
      response: regionsResponse,
      reads: [basketProjection, referenceState],
      handle: async (request) => {
        const { countryCode } = request.params;
        const places = shippingRegions(reference.shipping, countryCode).map((region) => ({
          countryCode,
          ...region,
        }));
        const served = placesServed(reference, await goodsOf(deps, request), places);
        return ok(served.map(({ regionCode, name }) => ({ regionCode, name })));
      },
    }),
    route({
      ...list,
      path: '/billing/countries',
      summary: 'Every country',
      response: countriesResponse,
      handle: async () => ok(countries()),
    }),
    route({
      ...list,
      path: '/billing/regions/{countryCode}',
      summary: 'Every region of a country',
      schemas: { params: countryParams },
      response: regionsResponse,
      handle: async ({ params }) => ok(regionsOf(params.countryCode)),
    }),
  ];
};

/** Countries and regions (docs/rules/shipping.md#countries-and-regions). */
export const placeRoutes = (deps: ProjectionDeps): readonly Route[] => [
  ...storefrontRoutes(deps),
  ...checkoutRoutes(deps),
];
