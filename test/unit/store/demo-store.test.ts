import { expect } from 'chai';
import { currencyOfCountry, isCurrency } from '#values/currency.ts';
import { isAmountIn } from '#values/money.ts';
import { findRegion, isCountry } from '#values/region.ts';
import {
  demoStore as store,
  servedBy,
  soldOf,
  stockWarehouses,
  type Place,
} from '#test/support/demo-store.ts';

const currency = store.settings.storeCurrencyCode;
const goods = store.products.flatMap(soldOf);

const keysOf = (list: readonly { readonly key: string }[]): Set<string> =>
  new Set(list.map(({ key }) => key));
const repeated = (values: readonly string[]): string[] =>
  values.filter((value, index) => values.indexOf(value) !== index);
const countryRates = (group: (typeof store.taxGroups)[number]): Set<string> =>
  new Set(group.rates.filter(({ regionCode }) => !regionCode).map(({ countryCode }) => countryCode));
const expectAmount = (amount: number, where: string): void => {
  expect(amount, where).to.be.at.least(0);
  expect(isAmountIn(amount, currency), `${where}: ${amount}`).to.equal(true);
};

describe('the demo store', () => {
  it('is a shop worth looking at', () => {
    expect(store.formatVersion).to.equal(1);
    expect(isCurrency(currency)).to.equal(true);
    expect(isCountry(store.settings.defaultShippingCountry)).to.equal(true);
    expect(store.products.length).to.be.at.least(200);
    expect(store.productTypes.length).to.be.at.least(5);
    expect(store.collections.length).to.be.at.least(5);
    expect(store.warehouses).to.have.length(4);
    expect(store.webhooks).to.deep.equal([]);
  });

  it('can show prices in the currency of every country that it serves', () => {
    const quoted = new Set([currency, ...store.exchangeRates.map(({ key }) => key)]);
    const { countryCurrencies } = store.settings;
    const wanted = store.warehouses
      .flatMap(servedBy)
      .map((code) => countryCurrencies[code] ?? currencyOfCountry(code) ?? currency);
    expect(wanted.filter((code) => !quoted.has(code))).to.deep.equal([]);
  });

  it('gives every entry a key, a code, an address and a sku of its own', () => {
    for (const list of [
      store.taxGroups,
      store.warehouses,
      store.shippingOptions,
      store.productTypes,
      store.collections,
      store.suppliers,
      store.filterGroups,
      store.filterGroups.flatMap(({ filters }) => filters),
      store.shippingTaxOverrides,
      store.exchangeRates,
      store.products,
      store.discounts,
      store.upsells,
    ]) {
      expect(repeated(list.map(({ key }) => key))).to.deep.equal([]);
    }
    expect(repeated(store.warehouses.map(({ code }) => code))).to.deep.equal([]);
    expect(repeated(store.products.map(({ rootUrl }) => rootUrl))).to.deep.equal([]);
    expect(repeated(goods.map(({ sku }) => sku))).to.deep.equal([]);
  });

  it('names only what it contains', () => {
    const warehouseKeys = keysOf(store.warehouses);
    for (const option of store.shippingOptions) expect(warehouseKeys).to.include(option.warehouse);
    for (const product of store.products) {
      expect(keysOf(store.taxGroups), product.key).to.include(product.taxGroup);
      expect(keysOf(store.productTypes), product.key).to.include(product.productType);
      for (const key of product.collections) expect(keysOf(store.collections), product.key).to.include(key);
      for (const key of stockWarehouses(product)) expect(warehouseKeys, product.key).to.include(key);
    }
  });

  it('leaves no type, collection or warehouse empty', () => {
    const used = new Set(
      store.products.flatMap((product) => [
        product.taxGroup,
        product.productType,
        ...product.collections,
        ...stockWarehouses(product),
      ]),
    );
    const offered = [
      ...store.taxGroups,
      ...store.productTypes,
      ...store.collections,
      ...store.warehouses,
    ].filter(({ key }) => !used.has(key));
    expect(offered).to.deep.equal([]);
  });

  it('states amounts that its currency can express', () => {
    for (const variant of goods) {
      expectAmount(variant.price, variant.sku);
      expectAmount(variant.costOfGoods, variant.sku);
      expect(variant.costOfGoods, variant.sku).to.be.below(variant.price);
    }
    for (const option of store.shippingOptions) {
      if (option.fixedCost !== undefined) expectAmount(option.fixedCost, option.key);
      for (const { cost } of option.costs ?? []) expectAmount(cost, option.key);
      for (const { surcharge } of [...(option.weightTiers ?? []), ...(option.postcodeRules ?? [])]) {
        expectAmount(surcharge, option.key);
      }
    }
  });

  it('marks a price down only from a higher one', () => {
    const onSale = goods.filter((variant) => variant.onSale);
    expect(onSale.length).to.be.at.least(3);
    for (const { sku, price, previousPrice } of onSale) expect(previousPrice, sku).to.be.above(price);
  });

  it('describes every product, with pictures from the reserved domain and a weight for all that ships', () => {
    for (const product of store.products) {
      expect(product.rootName.length, product.key).to.be.within(3, 250);
      expect(product.description.length, product.key).to.be.above(40);
      const images = [...product.images, ...soldOf(product).flatMap(({ images: own = [] }) => own)];
      expect(product.images, product.key).not.to.be.empty;
      for (const image of images) expect(new URL(image).hostname).to.equal('images.example.com');
      for (const { sku, packages = [] } of soldOf(product)) {
        const weight = packages.reduce((sum, one) => sum + one.weight, 0);
        if (product.isDigitalProduct) expect(weight, sku).to.equal(0);
        else expect(weight, sku).to.be.above(0);
      }
    }
  });

  it('stocks every variant somewhere or does not count it', () => {
    for (const product of store.products) {
      for (const { sku, stock } of product.isDigitalProduct ? [] : soldOf(product)) {
        if (stock) expect(stock, sku).not.to.be.empty;
        else expect(product.warehouses, sku).not.to.be.empty;
        for (const row of stock ?? []) expect(row.stock, sku).to.satisfy(Number.isInteger).and.at.least(0);
        expect(repeated((stock ?? []).map(({ warehouse }) => warehouse)), sku).to.deep.equal([]);
      }
    }
    const untracked = goods.filter(({ stock }) => !stock || stock.some((row) => row.trackStock === false));
    expect(untracked.length).to.be.at.least(2);
  });

  it('names the warehouses of all that ships, and no others than those that keep it', () => {
    for (const { key, warehouses = [], isDigitalProduct = false, ...product } of store.products) {
      expect(warehouses.length === 0, key).to.equal(isDigitalProduct);
      const kept = soldOf({ key, ...product }).flatMap(({ stock = [] }) => stock.map((row) => row.warehouse));
      const named = warehouses.map(({ warehouse }) => warehouse);
      if (kept.length > 0) expect([...new Set(kept)], key).to.have.members(named);
    }
  });

  it('keeps most products in two warehouses or more', () => {
    const spread = store.products.filter((product) => new Set(stockWarehouses(product)).size >= 2);
    expect(spread.length / store.products.length).to.be.above(0.8);
  });

  it('names only countries and regions that exist', () => {
    const places: Place[] = [
      ...store.taxGroups.flatMap(({ rates }) => rates),
      ...store.warehouses.flatMap(({ address, serviceRegions }) => [address, ...serviceRegions]),
      ...store.shippingOptions.flatMap(({ costs, weightTiers, excludedRegions, postcodeRules }) =>
        [costs, weightTiers, excludedRegions, postcodeRules].flatMap((list): readonly Place[] => list ?? []),
      ),
    ];
    for (const { countryCode, regionCode } of places) {
      expect(countryCode === '*' || isCountry(countryCode), countryCode).to.equal(true);
      if (regionCode === undefined) continue;
      expect(findRegion(countryCode, regionCode)?.regionCode, `${countryCode}-${regionCode}`).to.equal(
        regionCode,
      );
    }
  });

  it('knows a tax rate for every country that it ships to', () => {
    const served = new Set(store.warehouses.flatMap(servedBy));
    for (const country of ['GB', 'US', 'DE', 'FR', 'JP', 'AU', 'CA']) expect(served).to.include(country);
    for (const group of store.taxGroups) {
      for (const country of served) expect(countryRates(group), group.key).to.include(country);
      const states = group.rates.filter(({ countryCode, regionCode }) => countryCode === 'US' && regionCode);
      expect(states.length, group.key).to.be.at.least(3);
      const pairs = group.rates.map(({ countryCode, regionCode }) => `${countryCode}-${regionCode ?? ''}`);
      expect(repeated(pairs)).to.deep.equal([]);
      for (const { taxPercentage } of group.rates) expect(taxPercentage).to.be.within(0, 100);
    }
  });

  it('ships to every country that a warehouse serves, and never for nothing by omission', () => {
    for (const warehouse of store.warehouses) {
      const options = store.shippingOptions.filter((option) => option.warehouse === warehouse.key);
      for (const country of servedBy(warehouse)) {
        const offered = options.filter(
          ({ excludedRegions = [] }) =>
            !excludedRegions.some((place) => place.countryCode === country && !place.regionCode),
        );
        expect(offered, `${warehouse.key} to ${country}`).not.to.be.empty;
        for (const { key, fixedCost, costs = [] } of offered) {
          const priced = costs.some(
            (place) => [country, '*'].includes(place.countryCode) && !place.regionCode,
          );
          expect(fixedCost !== undefined || priced, `${key} to ${country}`).to.equal(true);
        }
      }
      for (const { key, daysFrom, daysTo } of options) expect(daysFrom, key).to.be.within(1, daysTo);
    }
  });

  it('has discounts of every category, method, target and eligibility, and welcomes newcomers with a code', () => {
    const rules = store.discounts as readonly (Record<string, unknown> & { readonly key: string })[];
    expect(rules).to.have.length.of.at.least(20);
    const named = (field: string): ReadonlySet<unknown> => new Set(rules.map((rule) => rule[field]));
    expect(named('category')).to.have.all.keys(
      'AmountOffProducts',
      'BuyXGetY',
      'AmountOffOrder',
      'FreeShipping',
    );
    expect(named('method')).to.have.all.keys('Code', 'Automatic');
    const text = JSON.stringify(rules);
    for (const type of [
      'SpecificProducts',
      'Collections',
      'ProductFilters',
      'ProductTypes',
      'Suppliers',
      'Warehouses',
      'Tags',
      'Skus',
      'CustomerSegments',
    ])
      expect(text, type).to.include(`"${type}"`);
    expect(rules.find(({ key }) => key === 'welcome10')).to.include({
      category: 'AmountOffOrder',
      method: 'Code',
      code: 'WELCOME10',
      valueType: 'Percentage',
      value: 10,
      totalUsageLimit: 10_000,
    });
  });

  it('has ten upsell rules, of every mode, trigger and recommendation, one of them added by itself', () => {
    const rules = store.upsells as readonly (Record<string, unknown> & { readonly key: string })[];
    expect(rules).to.have.lengthOf(10);
    const modes = new Set(rules.map(({ checkoutMode = 'Inline' }) => checkoutMode));
    expect(modes).to.have.all.keys('Inline', 'Interstitial', 'OrderBump', 'PostPurchase');
    expect(rules.filter(({ autoAddToBasket }) => autoAddToBasket)).to.have.lengthOf(1);
    const text = JSON.stringify(rules);
    for (const word of [
      ...['SpecificProducts', 'Collections', 'ProductFilters', 'ProductTypes', 'Suppliers'],
      ...['MinimumCartValue', 'CartValueBetween', 'CustomerSegments', 'displayStyles'],
      ...['matchTriggerFilters', 'Random', 'PriceLowToHigh', 'PriceHighToLow', 'Name', 'DateAdded'],
    ])
      expect(text, word).to.include(`"${word}"`);
  });
});
