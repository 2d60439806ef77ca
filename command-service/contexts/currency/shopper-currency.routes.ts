import { stepMeta } from '#command/engine/command-meta.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import {
  chosenCountryResponse,
  countryBody,
  currencyResponse,
  currencyBody,
  currencyDetails,
} from '#contracts/currency.contract.ts';
import { countryCookie, currencyCookie, preferenceCookie, regionCookie } from '#http/cookies.ts';
import { ok, route, visitor, type Route } from '#http/route.ts';
import type { ShopperCurrencyActions } from './shopper-currency.actions.ts';

const file = import.meta.url;
const common = { base: 'storefront', service: 'command', caller: visitor, file } as const;

const positionOf = (position: number | null) => (position === null ? {} : { position });

/** What a shopper chooses; reading it is the projection service's. Cookies are set once every check has passed. */
export const shopperCurrencyRoutes = (actions: ShopperCurrencyActions): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    path: '/currency',
    summary: 'Choose the currency that everything is shown in',
    schemas: { body: currencyBody },
    response: currencyResponse,
    errors: ['invalid-request', 'currency-not-available', 'order-being-placed'],
    handle: async (request) => {
      const { currencyCode } = request.body;
      const position = await actions.chooseCurrency(request.basketId, currencyCode, metaOf(request));
      return ok(
        { success: true, message: '', ...currencyDetails(currencyCode) },
        { cookies: [preferenceCookie(currencyCookie, currencyCode)], ...positionOf(position) },
      );
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/shipping/country',
    summary: 'Choose the country to deliver to; prices are shown in its currency',
    schemas: { body: countryBody },
    response: chosenCountryResponse,
    errors: ['invalid-request', 'currency-not-available', 'amount-too-large', 'order-being-placed'],
    handle: async (request) => {
      const { countryCode, regionCode = null } = request.body;
      const wanted = { countryCode, regionCode };
      const meta = stepMeta(metaOf(request));
      const { place, currency, position } = await actions.chooseCountry(request.basketId, wanted, meta);
      const details = currencyDetails(currency);
      return ok(
        {
          success: true,
          message: '',
          countryCode: place.countryCode,
          countryName: place.countryName,
          regionCode: place.regionCode,
          regionName: place.regionName,
          ...details,
          country: { code: place.countryCode, name: place.countryName },
          currency: details,
        },
        {
          cookies: [
            preferenceCookie(countryCookie, place.countryCode),
            preferenceCookie(regionCookie, place.regionCode),
            preferenceCookie(currencyCookie, currency),
          ],
          ...positionOf(position),
        },
      );
    },
  }),
];
