import { countryResponse, currencyResponse, currencyDetails } from '#contracts/currency.contract.ts';
import { countryCookie, currencyCookie, regionCookie } from '#http/cookies.ts';
import { ok, route, visitor, type Route } from '#http/route.ts';
import { currentLocation } from '#reference/location.ts';
import { presentationFor } from '#reference/presentation.ts';
import { referenceState, type ProjectionDeps } from '../../engine/service-deps.ts';

const file = import.meta.url;
const common = { method: 'GET', base: 'storefront', service: 'projection', caller: visitor, file } as const;

/** What a shopper has chosen to see prices in, and for which country; choosing is the command service's. */
export const shopperCurrencyRoutes = (deps: ProjectionDeps): readonly Route[] => [
  route({
    ...common,
    path: '/currency',
    summary: 'The currency that everything is shown in',
    response: currencyResponse,
    reads: [referenceState],
    handle: ({ cookies }) => {
      const { display } = presentationFor(deps, cookies[currencyCookie]);
      return Promise.resolve(ok({ success: true, message: '', ...currencyDetails(display.currency) }));
    },
  }),
  route({
    ...common,
    path: '/shipping/country',
    summary: 'The country that the shopper has chosen to be delivered to, or is taken to be in',
    response: countryResponse,
    reads: [referenceState],
    handle: ({ cookies }) => {
      const chosen = { countryCode: cookies[countryCookie], regionCode: cookies[regionCookie] };
      const place = currentLocation(chosen, deps.settings(), deps.reference.shipping);
      const { countryCode, countryName, regionCode, regionName } = place;
      return Promise.resolve(
        ok({
          success: true,
          message: '',
          code: countryCode,
          name: countryName,
          countryCode,
          countryName,
          regionCode,
          regionName,
        }),
      );
    },
  }),
];
