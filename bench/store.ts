import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
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

/** Where goods lie, and how they are sent from there. */
interface Places {
  readonly warehouses: readonly object[];
  readonly shippingOptions: readonly object[];
  /** The keys of the warehouses that have a product in stock. */
  readonly stockedIn: (index: number) => readonly string[];
}

const filterCounts = { colour: 12, size: 8, brand: 200, material: 20 };

/** Groups of filters as shops have them: few colours, many brands. */
const filterGroups = Object.entries(filterCounts).map(([group, count]) => ({
  key: group,
  name: group,
  filters: Array.from({ length: count }, (_, number) => ({
    key: `${group}-${number}`,
    name: `${group} ${number}`,
  })),
}));

/** One filter of each group, spread evenly. */
const filtersOf = (index: number, place: number): readonly string[] =>
  Object.entries(filterCounts).map(([group, count]) => `${group}-${(index * 7 + place * 3) % count}`);

const product = (index: number, stockedIn: Places['stockedIn'], isFiltered: boolean) => {
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
      ...(isFiltered && { filters: filtersOf(index, place) }),
      stock: stockedIn(index).map((key) => ({ warehouse: key, stock: PLENTY })),
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

/** Three warehouses: everything is in stock in the first one, every third product also in the others. */
const threeWarehouses: Places = {
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
  stockedIn: (index) => (index % 3 === 0 ? ['leeds', 'lyon', 'reno'] : ['leeds']),
};

/** Every so many products are in stock in five warehouses. */
const EVERYWHERE = 100;

/** Two warehouses more, for few of the products. */
const fiveWarehouses: Places = {
  warehouses: [
    ...threeWarehouses.warehouses,
    warehouse('hull', 'Hull', 'GB', ['GB']),
    warehouse('york', 'York', 'GB', ['GB', 'FR']),
  ],
  shippingOptions: [
    ...threeWarehouses.shippingOptions,
    ...parcel('hull', { GB: 5 }),
    ...parcel('york', { GB: 5, FR: 9 }),
  ],
  stockedIn: (index) => {
    const few = threeWarehouses.stockedIn(index);
    return index % EVERYWHERE === 0 ? [...few, 'hull', 'york'] : few;
  },
};

const manyKeys = Array.from({ length: 10 }, (_, index) => `house-${index}`);

/** Ten warehouses with 20 options each; a product is in one of them, so that a basket is sent from all. */
const tenWarehouses: Places = {
  warehouses: manyKeys.map((key) => warehouse(key, key, 'GB', ['GB'])),
  shippingOptions: manyKeys.flatMap((key) =>
    Array.from({ length: 20 }, (_, index) => ({
      ...parcel(key, { GB: 4 + index })[0],
      key: `${key}-option-${index}`,
      name: `Option ${index}`,
    })),
  ),
  stockedIn: (index) => [manyKeys[index % manyKeys.length] ?? ''],
};

/** Products with one or two variants each, taxes by country and region, and a discount code. */
const storeWith = (
  productCount: number,
  { stockedIn, ...places }: Places,
  isFiltered = false,
): BenchStore => {
  const products = Array.from({ length: productCount }, (_, index) => product(index, stockedIn, isFiltered));
  const file = {
    formatVersion: 1,
    settings: { name: 'Bench', storeCurrencyCode: 'GBP', defaultShippingCountry: 'GB' },
    taxGroups: [
      { key: 'standard', name: 'Standard', taxPercentage: 20, rates: rates(20, 20, 7.25) },
      { key: 'reduced', name: 'Reduced', taxPercentage: 5, rates: rates(5, 5.5, 0) },
    ],
    ...places,
    productTypes: [
      { key: 'things', name: 'Things' },
      { key: 'stuff', name: 'Stuff' },
    ],
    collections: Array.from({ length: 10 }, (_, index) => ({
      key: `collection-${index}`,
      name: `Collection ${index}`,
    })),
    ...(isFiltered && { filterGroups }),
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

/** Without a limit, beside others, from the first line on. */
const automatic = (index: number, targetRules: readonly object[]) => ({
  key: `rule-${index}`,
  name: `Rule ${index}`,
  category: index % 2 === 0 ? 'AmountOffOrder' : 'AmountOffProducts',
  method: 'Automatic',
  valueType: 'Percentage',
  value: 1 + (index % 5),
  priority: index,
  startsAt: '2024-01-01T00:00:00Z',
  canCombineWithProductDiscounts: true,
  canCombineWithOrderDiscounts: true,
  canCombineWithShippingDiscounts: true,
  targetRules,
  ...(targetRules.length > 0 && { minimumQuantity: 1 }),
});

/** A store with so many automatic discounts: `matching` of them for every basket, the others for tags of no product. */
export const ruledStore = (productCount: number, rules: number, matching: number): BenchStore => {
  const { file, productIds } = benchStore(productCount);
  const discounts = Array.from({ length: rules }, (_, index) =>
    automatic(
      index,
      index < matching ? [] : [{ targetType: 'Tags', targets: [`no-such-tag-${index}`], isExclusion: false }],
    ),
  );
  return { file: { ...file, discounts }, productIds };
};

export const benchStore = (productCount: number): BenchStore => storeWith(productCount, threeWarehouses);

/** A store in dollars that also sells in euros. */
export const dollarStore = (productCount: number): BenchStore => {
  const { file, productIds } = benchStore(productCount);
  const settings = { name: 'Bench', storeCurrencyCode: 'USD', defaultShippingCountry: 'GB' };
  return { file: { ...file, settings, exchangeRates: [{ key: 'EUR', rate: 0.92 }] }, productIds };
};

/** A store of about so many variants with filters, and those of its products that are in stock in five warehouses. */
export const catalogueStore = (variantCount: number) => {
  const store = storeWith(Math.ceil((variantCount * 2) / 3), fiveWarehouses, true);
  const everywhere = store.productIds.filter((_, index) => index % (1.5 * EVERYWHERE) === 0);
  return { ...store, everywhere };
};

/** Baskets of this store are sent from ten warehouses, by one of 200 options. */
export const splittingStore = (productCount: number): BenchStore => storeWith(productCount, tenWarehouses);

interface DemoProduct {
  readonly isDigitalProduct?: boolean;
  readonly productType: string;
  readonly options?: readonly object[];
  readonly variants?: readonly {
    readonly sku: string;
    readonly stock?: readonly { readonly stock: number }[];
  }[];
}

/** The demo store, and what of it anybody can buy one unit of without choosing anything. */
export const demoGoods = () => {
  const storeFile = fileURLToPath(
    new URL('../command-service/contexts/store/demo-store.json', import.meta.url),
  );
  const { products } = JSON.parse(readFileSync(storeFile, 'utf8')) as {
    readonly products: readonly DemoProduct[];
  };
  const productIds = products
    .filter(({ options = [], isDigitalProduct = false }) => options.length === 0 && !isDigitalProduct)
    .flatMap(({ variants = [] }) => variants)
    .filter(({ stock = [] }) => stock.every((row) => row.stock > 0))
    .map(({ sku }) => derivedId('variants', sku));
  return { storeFile, productIds };
};
