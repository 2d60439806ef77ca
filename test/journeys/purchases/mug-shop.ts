import { manage } from '#test/support/requests.ts';
import type { ShopAt } from '#test/support/shop.ts';

/** A mug, its price in dollars, with both of its add-ons. */
export interface Mug {
  readonly productId: string;
  readonly addons: readonly { readonly optionId: string; readonly valueId: string }[];
}

/** Two warehouses, and the countries that each of them serves. */
const warehouses = [
  { name: 'East', countries: ['JP', 'KW', 'NZ'], parcel: 4.5, mugs: 2 },
  { name: 'West', countries: ['US', 'JP', 'KW'], parcel: 7.25, mugs: 3 },
] as const;

const taxes = { JP: 10, KW: 5, NZ: 15 };

/** At 19.99, with a wrap at 2.50 and a card at 0.75: two of them lie in the East, three in the West. */
const mugs = (taxGroupId: unknown, warehouseIds: readonly unknown[], sku: string) => ({
  rootName: 'Mug',
  sku,
  price: 19.99,
  taxGroupId,
  warehouses: warehouseIds.map((warehouseId, priorityOrder) => ({ warehouseId, priorityOrder })),
  stock: warehouses.map((one, index) => ({ warehouseId: warehouseIds[index], stock: one.mugs })),
  options: [
    { name: 'Wrap', isVariant: false, values: [{ name: 'Gold', priceAdjustment: 2.5, skuSuffix: 'GOLD' }] },
    {
      name: 'Card',
      isVariant: false,
      values: [{ name: 'Signed', priceAdjustment: 0.75, skuSuffix: 'CARD' }],
    },
  ],
});

interface SoldMug {
  readonly variants: readonly [{ readonly id: string }];
  readonly options: readonly { readonly id: string; readonly values: readonly [{ readonly id: string }] }[];
}

/** Settings of a store that sells in dollars. */
export const dollars = { storeCurrencyCode: 'USD', defaultShippingCountry: 'US' };

/** Puts the warehouses and the tax into a furnished shop; answers how mugs come on sale, each time new ones. */
export const furnishMugShop = async (shop: ShopAt): Promise<(sku: string) => Promise<Mug>> => {
  const make = async (path: string, body: object) => {
    const answer = await shop.admin.ask(manage.post(path, body));
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    await shop.settle();
    return answer.body as Readonly<Record<string, unknown>>;
  };
  const rates = Object.entries(taxes).map(([countryCode, taxPercentage]) => ({ countryCode, taxPercentage }));
  const goods = await make('/tax-groups', { name: 'Goods', taxPercentage: 0, rates });
  const warehouseIds: unknown[] = [];
  for (const { name, countries, parcel } of warehouses) {
    const serviceRegions = countries.map((countryCode) => ({ countryCode }));
    const { id } = await make('/warehouses', { name, address: serviceRegions[0], serviceRegions });
    await make('/shipping-options', { name: `${name} parcel`, warehouseId: id, fixedCost: parcel });
    warehouseIds.push(id);
  }
  return async (sku) => {
    const sold = (await make('/products', mugs(goods['id'], warehouseIds, sku))) as unknown as SoldMug;
    return {
      productId: sold.variants[0].id,
      addons: sold.options.map(({ id, values }) => ({ optionId: id, valueId: values[0].id })),
    };
  };
};
