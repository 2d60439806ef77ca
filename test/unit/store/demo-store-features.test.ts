import { expect } from 'chai';
import {
  demoStore as store,
  soldOf,
  stockWarehouses,
  type Option,
  type Product,
} from '#test/support/demo-store.ts';

const goods = store.products.flatMap(soldOf);
const isAddOn = ({ isVariant }: Option): boolean => isVariant === false;
const makesVariants = (product: Product): boolean =>
  !product.variants && (product.options ?? []).some((option) => !isAddOn(option));
const addOns = store.products.flatMap(({ options = [] }) => options.filter(isAddOn));
const rowsOf = (warehouse: string) =>
  goods.flatMap(({ stock = [] }) => stock.filter((row) => row.warehouse === warehouse));

type Feature = readonly [what: string, least: number, examples: () => readonly unknown[]];

/** What a visitor of the demo store should be able to try, and so many examples of it at least. */
const features: readonly Feature[] = [
  ['products whose options make their variants', 50, () => store.products.filter(makesVariants)],
  [
    'products with two options that make variants',
    2,
    () =>
      store.products.filter(
        ({ options = [], variants }) => !variants && options.filter((one) => !isAddOn(one)).length > 1,
      ),
  ],
  ['products with variants of their own', 30, () => store.products.filter(({ variants }) => variants)],
  ['add-ons', 30, () => addOns],
  ['add-ons that have to be chosen', 4, () => addOns.filter(({ isRequired }) => isRequired)],
  ['add-ons of which several may be chosen', 10, () => addOns.filter((one) => one.isMultiSelect)],
  [
    'add-ons of which several may be and one has to be chosen',
    1,
    () => addOns.filter((one) => one.isRequired && one.isMultiSelect),
  ],
  [
    'add-ons that weigh something',
    10,
    () => addOns.filter(({ values }) => values.some(({ weightKg = 0 }) => weightKg > 0)),
  ],
  [
    'add-ons that take something off',
    1,
    () => addOns.filter(({ values }) => values.some(({ priceAdjustment = 0 }) => priceAdjustment < 0)),
  ],
  ['digital products', 5, () => store.products.filter(({ isDigitalProduct }) => isDigitalProduct)],
  [
    'variants that are not counted',
    2,
    () => goods.filter(({ stock = [] }) => stock.some((row) => row.trackStock === false)),
  ],
  [
    'downloads whose links last otherwise than usual',
    2,
    () => store.products.filter((one) => one.downloadLinkExpiryDays !== undefined),
  ],
  [
    'products with warehouses in an order',
    10,
    () =>
      store.products.filter(({ warehouses = [] }) => warehouses.some((one) => (one.priorityOrder ?? 0) > 0)),
  ],
  ['variants for some shipping options only', 2, () => goods.filter((one) => one.allowedShippingOptions)],
  ['variants that some shipping options refuse', 2, () => goods.filter((one) => one.excludedShippingOptions)],
  [
    'warehouses with exclusions',
    2,
    () => store.warehouses.filter(({ serviceRegions }) => serviceRegions.some((one) => one.isExcluded)),
  ],
  [
    'suppliers who release orders themselves',
    1,
    () => store.suppliers.filter(({ fulfilmentTrigger }) => fulfilmentTrigger === 'ExplicitRelease'),
  ],
  ['options with weight tiers', 2, () => store.shippingOptions.filter(({ weightTiers }) => weightTiers)],
  [
    'postal codes that cost more',
    1,
    () =>
      store.shippingOptions.flatMap(({ postcodeRules = [] }) =>
        postcodeRules.filter((rule) => rule.action === 'Surcharge'),
      ),
  ],
  [
    'postal codes that are not served',
    1,
    () =>
      store.shippingOptions.flatMap(({ postcodeRules = [] }) =>
        postcodeRules.filter((rule) => rule.action === 'Block'),
      ),
  ],
  [
    'next-day options with a cut-off',
    1,
    () => store.shippingOptions.filter((one) => one.isNextDay && one.nextDayCutOffTime),
  ],
  [
    'options whose day can be chosen',
    1,
    () => store.shippingOptions.filter((one) => one.allowsDeliveryDateSelection),
  ],
  ['options that leave regions out', 1, () => store.shippingOptions.filter((one) => one.excludedRegions)],
  [
    'places where shipping is taxed',
    2,
    () => store.shippingTaxOverrides.filter((one) => one.shippingTaxGroup),
  ],
  [
    'places where shipping is not taxed',
    1,
    () => store.shippingTaxOverrides.filter((one) => !one.shippingTaxGroup),
  ],
  [
    'filters with a colour',
    3,
    () => store.filterGroups.flatMap(({ filters }) => filters.filter((one) => one.hexColour)),
  ],
];

describe('what the demo store shows', () => {
  for (const [what, least, examples] of features)
    it(`has ${what}`, () => {
      expect(examples().length).to.be.at.least(least);
    });

  it('lets shoppers find something by every filter', () => {
    const used = new Set(goods.flatMap(({ filters = [] }) => filters));
    const offered = store.filterGroups.flatMap(({ filters }) => filters.map(({ key }) => key));
    expect([...used].toSorted()).to.deep.equal(offered.toSorted());
  });

  it('has a supplier for every warehouse, and none without one', () => {
    const named = new Set(store.warehouses.map(({ supplier }) => supplier));
    expect([...named].toSorted()).to.deep.equal(store.suppliers.map(({ key }) => key).toSorted());
  });

  it('names only shipping options and tax groups that it has', () => {
    const options = store.shippingOptions.map(({ key }) => key);
    for (const { sku, allowedShippingOptions = [], excludedShippingOptions = [] } of goods)
      expect(options, sku).to.include.members([...allowedShippingOptions, ...excludedShippingOptions]);
    const groups = store.taxGroups.map(({ key }) => key);
    for (const { key, shippingTaxGroup } of store.shippingTaxOverrides)
      if (shippingTaxGroup) expect(groups, key).to.include(shippingTaxGroup);
  });

  it('leaves every restricted variant a way out of each of its warehouses', () => {
    for (const product of store.products)
      for (const { sku, allowedShippingOptions, excludedShippingOptions = [] } of soldOf(product))
        for (const warehouse of stockWarehouses(product)) {
          const ways = store.shippingOptions.filter(
            (option) =>
              option.warehouse === warehouse &&
              (allowedShippingOptions ?? [option.key]).includes(option.key) &&
              !excludedShippingOptions.includes(option.key),
          );
          expect(ways, `${sku} from ${warehouse}`).not.to.be.empty;
        }
  });

  it('keeps goods in every warehouse', () => {
    for (const { key } of store.warehouses)
      expect(
        rowsOf(key).filter(({ stock }) => stock > 0),
        key,
      ).to.have.length.above(5);
  });
});
