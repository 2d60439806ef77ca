import { derivedId } from '#kernel/ids.ts';

/** A store in the format of `STORE_FILE`, large enough that what is looked up by product is not all in a CPU cache. */
export interface BenchStore {
  readonly file: object;
  /** Ids of variants, which is what a basket is filled with. */
  readonly productIds: readonly string[];
}

const PLENTY = 10_000_000;

const warehouse = (key: string, townCity: string, countryCode: string, serves: readonly string[]) => ({
  key,
  name: `${townCity} Warehouse`,
  code: key.toUpperCase(),
  address: { addressOne: '1 Dock Road', townCity, postalCode: '10001', countryCode },
  serviceRegions: serves.map((country) => ({ countryCode: country })),
});

const parcel = (of: string, costs: Readonly<Record<string, number>>) => [
  {
    key: `${of}-parcel`,
    name: 'Parcel',
    warehouse: of,
    costs: Object.entries(costs).map(([countryCode, cost]) => ({ countryCode, cost })),
    weightTiers: [{ countryCode: '*', minWeightKg: 5, maxWeightKg: 30, surcharge: 6 }],
  },
  {
    key: `${of}-express`,
    name: 'Express',
    warehouse: of,
    fixedCost: 14.5,
    daysFrom: 1,
    daysTo: 1,
    isNextDay: true,
  },
];

/** Where a product is in stock: always in the first warehouse, of every third product also in the others. */
const stockOf = (index: number) =>
  (index % 3 === 0 ? ['leeds', 'lyon', 'reno'] : ['leeds']).map((key) => ({ warehouse: key, stock: PLENTY }));

const product = (index: number) => {
  const number = String(index).padStart(4, '0');
  const names = index % 2 === 0 ? ['Small', 'Large'] : ['Single'];
  const variants = names.map((name, place) => {
    const sku = `BENCH-${number}-${place}`;
    return {
      id: derivedId('variants', sku),
      sku,
      name,
      price: (300 + ((index * 37 + place * 211) % 9000)) / 100,
      costOfGoods: 1.5,
      packages: [{ weight: (1 + (index % 20)) / 10 }],
      stock: stockOf(index),
    };
  });
  return {
    key: `product-${number}`,
    rootName: `Benchmark product ${number}`,
    rootUrl: `benchmark-product-${number}`,
    description: 'One of many, with a description of a usual length. '.repeat(6),
    images: [`https://images.example.com/bench/${number}.jpg`],
    taxGroup: index % 4 === 0 ? 'reduced' : 'standard',
    productType: index % 2 === 0 ? 'things' : 'stuff',
    collections: [`collection-${index % 10}`],
    tags: ['bench'],
    variants,
  };
};

const rates = (gb: number, fr: number, us: number) => [
  { countryCode: 'GB', taxPercentage: gb },
  { countryCode: 'FR', taxPercentage: fr },
  { countryCode: 'US', taxPercentage: 0 },
  { countryCode: 'US', regionCode: 'CA', taxPercentage: us },
];

/** Products with one or two variants each, three warehouses, taxes by country and region, and a discount code. */
export const benchStore = (productCount: number): BenchStore => {
  const products = Array.from({ length: productCount }, (_, index) => product(index));
  const file = {
    formatVersion: 1,
    settings: { name: 'Bench', storeCurrencyCode: 'GBP', defaultShippingCountry: 'GB' },
    taxGroups: [
      { key: 'standard', name: 'Standard', taxPercentage: 20, rates: rates(20, 20, 7.25) },
      { key: 'reduced', name: 'Reduced', taxPercentage: 5, rates: rates(5, 5.5, 0) },
    ],
    warehouses: [
      warehouse('leeds', 'Leeds', 'GB', ['GB', 'IE']),
      warehouse('lyon', 'Lyon', 'FR', ['FR', 'DE', 'ES', 'IT']),
      warehouse('reno', 'Reno', 'US', ['US', 'CA']),
    ],
    shippingOptions: [
      ...parcel('leeds', { GB: 4.5, IE: 7.5 }),
      ...parcel('lyon', { FR: 5.5, DE: 8, ES: 8, IT: 8 }),
      ...parcel('reno', { US: 6.5, CA: 12 }),
    ],
    productTypes: [
      { key: 'things', name: 'Things' },
      { key: 'stuff', name: 'Stuff' },
    ],
    collections: Array.from({ length: 10 }, (_, index) => ({
      key: `collection-${index}`,
      name: `Collection ${index}`,
    })),
    products,
    discounts: [
      {
        key: 'bench10',
        name: 'Ten percent',
        category: 'AmountOffOrder',
        method: 'Code',
        code: 'BENCH10',
        valueType: 'Percentage',
        value: 10,
        startsAt: '2024-01-01T00:00:00Z',
      },
    ],
    webhooks: [],
  };
  return { file, productIds: products.flatMap(({ variants }) => variants.map(({ id }) => id)) };
};
