import type { GivenManualOrder } from '../contexts/orders/manual/manual-orders.actions.ts';
import { decimalsOf } from '#values/currency.ts';
import { countryName } from '#values/region.ts';
import type { Person } from './people.ts';
import type { Chance } from './pure-random.ts';

/** What people ask for by telephone, and what one of it costs, in whole units of the store's currency. */
const wishes = [
  ['Gift basket, made up by hand', 'BASKET', 35, 90],
  ['Engraving', 'ENGRAVING', 8, 25],
  ['Sample box', 'SAMPLES', 12, 30],
  ['Workshop for two', 'WORKSHOP', 60, 140],
] as const;

/** A telephone order, entered by staff. */
export const phoneOrder = (
  { name, email, town, addressOne }: Person,
  chance: Chance,
  { taxGroupId, currency }: { readonly taxGroupId: string | null; readonly currency: string },
): GivenManualOrder => {
  const items = Array.from({ length: chance.whole(1, 2) }, () => {
    const [wish, sku, least, most] = chance.oneOf(wishes);
    return {
      name: wish,
      sku,
      amount: chance.whole(least, most) * 10 ** decimalsOf(currency),
      cost: 0,
      quantity: chance.whole(1, 3),
      taxGroupId,
      isPhysical: sku !== 'WORKSHOP',
      addons: [],
      warehouseId: null,
      shippingOptionId: null,
    };
  });
  const { countryCode, regionCode, townCity, postalCode } = town;
  const place = { townCity, postalCode, countryCode, regionCode, country: countryName(countryCode) };
  const billingAddress = {
    ...{ name, email, addressOne, ...place },
    ...{ company: null, addressTwo: null, countyState: null, phone: null },
  };
  return { billingAddress, shippingAddress: null, products: [], items };
};
