import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isShippingCountry, locationOf, type Location } from '#reference/location.ts';
import { currencyFor, displayRate } from '#reference/presentation.ts';
import { countryName, findRegion, regionsOf } from '#values/region.ts';
import type { BasketCommand } from '../basket/basket.commands.ts';
import { basketLinesStream } from '../basket/basket.stream.ts';

type ShopperCurrencyDeps = Pick<CommandDeps, 'streams' | 'settings' | 'reference'>;

/** Where a shopper has chosen to be, and what they are shown amounts in from now on. */
export interface ChosenCountry {
  readonly place: Location;
  readonly currency: string;
  readonly position: number | null;
}

const notOffered = (field: string, message: string): Rejection =>
  new Rejection('currency-not-available', `${field}: ${message}`, { field });

/** The place, when the shop delivers there. Errors: Rejection `invalid-request`. */
const checkedPlace = (
  { reference }: ShopperCurrencyDeps,
  countryCode: string,
  regionCode: string | null,
): Location => {
  if (!isShippingCountry(reference.shipping, countryCode)) {
    const message = `countryCode: must be a country that the shop delivers to, not ${countryName(countryCode)}.`;
    throw new Rejection('invalid-request', message);
  }
  if (regionCode === null || findRegion(countryCode, regionCode)) return locationOf(countryCode, regionCode);
  if (regionsOf(countryCode).length > 0) {
    const message = `regionCode: must be a region of ${countryName(countryCode)}.`;
    throw new Rejection('invalid-request', message);
  }
  return { ...locationOf(countryCode, null), regionCode };
};

/** What shoppers see prices in, and for which country. A `basketId` of null is a shopper without a basket. */
export const createShopperCurrencyActions = (deps: ShopperCurrencyDeps) => {
  const { streams } = deps;

  /** The position of the change; null where there is no basket. */
  const changeBasket = async (
    basketId: string | null,
    command: BasketCommand,
    meta: CommandMeta,
  ): Promise<number | null> => {
    if (basketId === null) return null;
    try {
      return (await streams.send(basketLinesStream, basketId, command, meta)).position;
    } catch (error) {
      if (error instanceof Rejection && error.code === 'basket-not-found') return null;
      throw error;
    }
  };

  return {
    /** Errors: Rejections `currency-not-available`, `order-being-placed`. */
    chooseCurrency: (basketId: string | null, currency: string, meta: CommandMeta) => {
      if (displayRate(deps, currency) === null) {
        throw notOffered('currencyCode', `must be a currency with an exchange rate, not ${currency}.`);
      }
      return changeBasket(basketId, { type: 'ChangeBasketCurrency', currency, destination: null }, meta);
    },

    /** Everything is checked before anything changes. Errors: as above, `invalid-request`, `amount-too-large`. */
    chooseCountry: async (
      basketId: string | null,
      given: { readonly countryCode: string; readonly regionCode: string | null },
      meta: CommandMeta,
    ): Promise<ChosenCountry> => {
      const place = checkedPlace(deps, given.countryCode, given.regionCode || null);
      const currency = currencyFor(deps, place.countryCode);
      if (displayRate(deps, currency) === null) {
        const message = `prices cannot be shown in ${currency}, the currency of ${place.countryName}, at the moment.`;
        throw notOffered('countryCode', message);
      }
      const { countryCode, regionCode, postalCode } = place;
      const destination = { countryCode, regionCode, postalCode };
      const command = { type: 'ChangeBasketCurrency', currency, destination } as const;
      return { place, currency, position: await changeBasket(basketId, command, meta) };
    },
  };
};

export type ShopperCurrencyActions = ReturnType<typeof createShopperCurrencyActions>;
