import { expect } from 'chai';
import { collection } from '#entities/collection.entity.ts';
import { productType } from '#entities/product-type.entity.ts';
import { exchangeRateEvents } from '#events/exchange-rate.events.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import {
  productEvents,
  type ProductOption,
  type ProductRoot,
  type ProductVariant,
} from '#events/catalogue.events.ts';
import { getProductBody, lookupCatalogBody, searchCatalogBody } from '#contracts/agent-catalogue.contract.ts';
import type { ProtocolProducts, ShownProduct } from '#agents/protocol-catalogue.ts';
import { defined } from '#kernel/defined.ts';
import { productSearchOf } from '#reference/search/product-search.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { streamOf } from '#values/stream-name.ts';
import type { CatalogueSources, Found } from '#projection/contexts/catalogue/agents/catalogue-sources.ts';
import { createDescriptions } from '#projection/contexts/catalogue/agents/descriptions.ts';
import { getCatalogueProduct } from '#projection/contexts/catalogue/agents/get-product.ts';
import { lookUpCatalogue } from '#projection/contexts/catalogue/agents/lookup-catalogue.ts';
import { searchCatalogue } from '#projection/contexts/catalogue/agents/search-catalogue.ts';
import { createShownProducts } from '#projection/contexts/catalogue/agents/shown-products.ts';
import type { ViewReader } from '#projection/engine/reader.ts';
import { createShopNames } from '#projection/contexts/catalogue/shop-names.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { productOnSale } from '#test/support/builders/product.ts';
import {
  applyTo,
  entityCreated,
  optionNamed,
  productNamed,
  referenceOf,
  serves,
  stockCounted,
  taxGroupNamed,
  warehouseNamed,
} from '#test/support/builders/reference.ts';
import { inStream, recordedEvents, type GivenEvent } from '#test/support/given.ts';

const base = 'https://shop.example.com';
const at = '2030-01-01T00:00:00.000Z';

const optionOf = (name: string, ...labels: readonly string[]): ProductOption => ({
  id: idNamed(name),
  name,
  alias: name.toLowerCase(),
  sortOrder: 0,
  optionTypeAlias: null,
  optionUiAlias: null,
  isVariant: true,
  isMultiSelect: false,
  isRequired: true,
  values: labels.map((label, sortOrder) => ({
    id: idNamed(label),
    name: label,
    fullName: label,
    sortOrder,
    hexValue: null,
    mediaKey: null,
    priceAdjustment: 0,
    costAdjustment: 0,
    skuSuffix: null,
    weightKg: null,
  })),
});

const shirtVariant = (sku: string, price: number, colour: string, size: string): ProductVariant => {
  const { variants } = productOnSale(sku, { price, taxGroupId: null, isTracked: true });
  const [variant] = variants as [ProductVariant];
  return {
    ...variant,
    name: `${colour} - ${size}`,
    isDefault: sku === 'red-s',
    selectedOptions: [
      { optionName: 'Colour', valueName: colour },
      { optionName: 'Size', valueName: size },
    ],
  };
};

const inStock = (sku: string, stock: number): GivenEvent => ({
  ...inventoryEvents.create.StockRowOpened({
    productId: idNamed(sku),
    warehouseId: idNamed('east'),
    sku,
    stock,
    trackStock: true,
    reorderPoint: null,
    reorderQuantity: null,
  }),
  stream: streamOf.stock(idNamed(`${sku} east`)),
});

const shirtRoot: ProductRoot = {
  ...productOnSale('shirt', { price: 0, taxGroupId: null, isTracked: true }).root,
  rootName: 'Linen shirt',
  rootUrl: 'linen-shirt',
  productTypeId: idNamed('Clothes'),
  collectionIds: [idNamed('Summer')],
  images: ['/media/shirt.jpg'],
  options: [optionOf('Colour', 'Red', 'Blue'), optionOf('Size', 'S', 'L')],
};

const shirt: readonly GivenEvent[] = [
  ...inStream(
    streamOf.product(idNamed('root shirt')),
    productEvents.create.ProductCreated({
      root: shirtRoot,
      variants: [
        shirtVariant('red-s', 2000, 'Red', 'S'),
        shirtVariant('red-l', 2200, 'Red', 'L'),
        shirtVariant('blue-l', 3000, 'Blue', 'L'),
      ],
      at,
    }),
  ),
  inStock('red-s', 0),
  inStock('red-l', 3),
  inStock('blue-l', 5),
];

const handMade = '<p>Fired by <b>hand</b></p>';

const mug = productNamed('MUG-1', {
  shelves: { east: 7 },
  root: {
    rootName: 'Crème mug',
    rootUrl: 'creme-mug',
    taxGroupId: idNamed('standard'),
    productTypeId: idNamed('Crockery'),
    description: handMade,
  },
  variant: { name: 'Crème mug', price: 1000, onSale: true, previousPrice: 1250 },
});

const rates = (rates: Readonly<Record<string, string>>): readonly GivenEvent[] =>
  inStream(
    'exchangeRates-one',
    exchangeRateEvents.create.ExchangeRatesRefreshed({
      provider: 'manual',
      baseCurrency: 'GBP',
      rates,
      quotedAt: at,
      fetchedAt: at,
    }),
  );

const mugsCounted = (adjustedBy: number, stock: number): GivenEvent => ({
  ...inventoryEvents.create.StockAdjusted({
    productId: idNamed('MUG-1'),
    warehouseId: idNamed('east'),
    sku: 'MUG-1',
    adjustedBy,
    reason: 'counted',
    stock,
    reserved: 0,
  }),
  stream: streamOf.stock(idNamed('MUG-1 east')),
});

/** A product with its variants, as an agent reads it. */
const whole = ({ product, variants, selected }: ShownProduct) => ({
  ...product,
  ...defined({ selected }),
  variants: variants.map(({ variant, inputs }) => ({ ...variant, ...defined({ inputs }) })),
});

const listed = (found: Found<ProtocolProducts>) =>
  'error' in found ? found : { result: { ...found.result, products: found.result.products.map(whole) } };

/** A list of products that has their descriptions only, of which it may have former ones. */
const productList = () => {
  const descriptions = new Map([[idNamed('root MUG-1'), handMade]]);
  const reads: (readonly string[])[] = [];
  const textsAt: ViewReader['textsAt'] = async (_view, _field, ids) => {
    reads.push(ids);
    return new Map([...descriptions].filter(([id]) => ids.includes(id)));
  };
  return { descriptions, reads, reader: { textsAt } };
};

const openCatalogue = (...more: readonly GivenEvent[]) => {
  const { reader, ...list } = productList();
  const descriptions = createDescriptions(reader);
  const reference = referenceOf(
    warehouseNamed('east', [serves('GB')]),
    optionNamed('Parcel', 'east'),
    taxGroupNamed('standard', 20),
    entityCreated(productType, 'Clothes', {}),
    entityCreated(productType, 'Crockery', {}),
    entityCreated(collection, 'Summer', {}),
    ...rates({ JPY: '190', KWD: '0.39' }),
    shirt,
    mug,
    productNamed('gone', { variant: { availableForPurchase: false } }),
    more,
  );
  const sources: CatalogueSources = {
    reference,
    settings: () => ({ ...defaultStoreSettings, storeCurrencyCode: 'GBP', displayPricesIncTax: true }),
    search: productSearchOf(reference),
    names: createShopNames(reference),
    limits: { maxCatalogLookup: 50, maxPageSize: 50 },
    descriptions,
    openView: createShownProducts(reference, descriptions),
  };
  return {
    reference,
    list,
    search: async (body: object) =>
      listed(await searchCatalogue(sources, searchCatalogBody.parse(body), base)),
    lookUp: async (body: object, host = base) =>
      listed(await lookUpCatalogue(sources, lookupCatalogBody.parse(body), host)),
    product: async (body: object) => {
      const found = await getCatalogueProduct(sources, getProductBody.parse(body), base);
      if ('error' in found) return found;
      const { product } = found.result;
      return { result: { ...found.result, product: product && whole(product) } };
    },
  };
};

const resultOf = <Result>(found: Found<Result>): Result => {
  if ('error' in found) throw new Error(found.error.text);
  return found.result;
};
const errorOf = <Result>(found: Found<Result>) => ('error' in found ? found.error : undefined);

describe('the catalogue of agents', () => {
  const { search, lookUp, product } = openCatalogue();
  const handles = async (body: object): Promise<readonly (string | null)[]> =>
    resultOf(await search(body)).products.map(({ handle }) => handle);

  it('shows a simple product whole, its price without tax', async () => {
    const found = resultOf(await search({ query: 'creme' }));
    expect(found.products).to.deep.equal([
      {
        id: idNamed('root MUG-1'),
        handle: 'creme-mug',
        title: 'Crème mug',
        description: 'Fired by hand',
        url: `${base}/demo/products/creme-mug`,
        categories: ['Crockery'],
        priceRange: { min: { amount: 1000, currency: 'GBP' }, max: { amount: 1000, currency: 'GBP' } },
        media: [],
        options: [],
        variants: [
          {
            id: idNamed('MUG-1'),
            sku: 'MUG-1',
            title: 'Crème mug',
            description: 'Crème mug',
            price: { amount: 1000, currency: 'GBP' },
            listPrice: { amount: 1250, currency: 'GBP' },
            availability: { isAvailable: true, status: 'in_stock' },
            options: [],
            media: [],
          },
        ],
      },
    ]);
    expect(found.pagination).to.deep.equal({ cursor: null, totalCount: 1 });
    expect(found.messages).to.deep.equal([]);
  });

  it('is searched by words, SKU and type, and narrowed by categories and prices', async () => {
    expect(await handles({ query: 'MUG-1' })).to.deep.equal(['creme-mug']);
    expect(await handles({ query: 'clothes' })).to.deep.equal(['linen-shirt']);
    expect(await handles({ query: 'teapot' })).to.deep.equal([]);
    expect(await handles({ filters: { categories: ['summer', 'nowhere'] } })).to.deep.equal(['linen-shirt']);
    expect(await handles({ filters: { categories: ['Summer', 'CROCKERY'] } })).to.have.lengthOf(2);
    expect(await handles({ filters: { categories: ['nowhere'] } })).to.deep.equal([]);
    expect(await handles({ filters: { price: { max: 1000 } } })).to.deep.equal(['creme-mug']);
    expect(await handles({ filters: { price: { min: 3001 } } })).to.deep.equal([]);
  });

  it('shows of a product the variants that meet the filters, what is in stock first', async () => {
    const skus = async (body: object) =>
      resultOf(await search(body)).products.map(({ variants }) => variants.map(({ sku }) => sku));
    expect(await skus({ query: 'shirt' })).to.deep.equal([['red-l', 'red-s', 'blue-l']]);
    expect(await skus({ query: 'shirt', filters: { price: { min: 2500 } } })).to.deep.equal([['blue-l']]);
  });

  it('asks for a query or a filter, and a cursor of its own', async () => {
    for (const body of [{}, { query: ' ' }, { filters: { colour: 'red' } }, { filters: { categories: [] } }])
      expect(errorOf(await search(body))).to.include({ code: 'missing' });
    for (const cursor of ['page-2', 'bnVsbA', 'WzEsMiwzXQ'])
      expect(errorOf(await search({ query: 'mug', pagination: { cursor } }))).to.include({
        code: 'invalid',
        path: '$.pagination.cursor',
      });
  });

  it('goes on behind the last product of a page, whatever has come before it since', async () => {
    const some = (names: readonly string[]) =>
      names.flatMap((name) => productNamed(name, { root: { rootName: `bowl ${name}`, rootUrl: name } }));
    const shop = openCatalogue(...some(['b', 'c', 'd', 'e']));
    const first = resultOf(await shop.search({ query: 'bowl', pagination: { limit: 2 } }));
    expect(first.products.map(({ handle }) => handle)).to.deep.equal(['b', 'c']);
    expect(first.pagination?.totalCount).to.equal(4);
    const gone = inStream(streamOf.product(idNamed('root c')), productEvents.create.ProductDeleted({}));
    applyTo(shop.reference, recordedEvents([...some(['a']), ...gone]));
    const cursor = first.pagination?.cursor;
    const second = resultOf(await shop.search({ query: 'bowl', pagination: { limit: 200, cursor } }));
    expect(second.products.map(({ handle }) => handle)).to.deep.equal(['d', 'e']);
    expect(second.pagination).to.deep.equal({ cursor: null, totalCount: 4 });
  });

  it('is in the currency of the context, in its minor units, and says so where there is none', async () => {
    const priceIn = async (currency: string) =>
      resultOf(await search({ query: 'mug', context: { currency } })).products[0]?.variants[0]?.price;
    expect(await priceIn('jpy')).to.deep.equal({ amount: 1900, currency: 'JPY' });
    expect(await priceIn('KWD')).to.deep.equal({ amount: 3900, currency: 'KWD' });
    const context = { currency: 'XXX' };
    const found = resultOf(
      await search({ context, filters: { price: { max: 1 }, categories: ['Crockery'] } }),
    );
    expect(found.products[0]?.priceRange.min).to.deep.equal({ amount: 1000, currency: 'GBP' });
    expect(found.messages.map(({ code, path }) => ({ code, path }))).to.deep.equal([
      { code: 'currency_not_supported', path: '$.context.currency' },
      { code: 'currency_not_supported', path: '$.filters.price' },
    ]);
    expect(await handles({ context: { currency: 'JPY' }, filters: { price: { max: 1900 } } })).to.deep.equal([
      'creme-mug',
    ]);
  });

  it('says what can be had where the context is', async () => {
    const statusIn = async (address_country: string) =>
      resultOf(await search({ query: 'mug', context: { address_country } })).products[0]?.variants[0]
        ?.availability;
    for (const country of ['GB', 'gbr', 'United Kingdom', 'Atlantis'])
      expect(await statusIn(country)).to.deep.equal({ isAvailable: true, status: 'in_stock' });
    expect(await statusIn('US')).to.deep.equal({ isAvailable: false, status: 'not_deliverable' });
  });

  it('finds by the ids of products and variants and by SKUs, each product once', async () => {
    const ids = [
      idNamed('blue-l'),
      'nothing',
      idNamed('root shirt').toUpperCase(),
      'MUG-1',
      'blue-l',
      'MUG-1',
    ];
    const asked = { ids: [...ids, idNamed('gone'), 'mug-1'] };
    const found = resultOf(await lookUp(asked));
    expect(resultOf(await lookUp(asked))).to.deep.equal(found);
    expect(
      found.products.map(({ handle, variants }) => [
        handle,
        variants.map(({ sku, inputs }) => [sku, inputs]),
      ]),
    ).to.deep.equal([
      [
        'linen-shirt',
        [
          [
            'blue-l',
            [
              { id: ids[0], match: 'exact' },
              { id: 'blue-l', match: 'exact' },
            ],
          ],
          ['red-l', [{ id: ids[2], match: 'featured' }]],
        ],
      ],
      ['creme-mug', [['MUG-1', [{ id: 'MUG-1', match: 'exact' }]]]],
    ]);
    expect(found.messages.map(({ type, code, path }) => [type, code, path])).to.deep.equal([
      ['info', 'not_found', '$.ids[1]'],
      ['info', 'not_found', '$.ids[6]'],
      ['info', 'not_found', '$.ids[7]'],
    ]);
    expect(found.pagination).to.equal(null);
  });

  it('looks up 1 to 50 ids, and what meets the filters', async () => {
    expect(errorOf(await lookUp({ ids: [] }))).to.include({ code: 'missing', path: '$.ids' });
    const fifty = Array.from({ length: 50 }, (_, index) => `none-${index}`);
    expect(resultOf(await lookUp({ ids: fifty })).messages).to.have.lengthOf(50);
    expect(errorOf(await lookUp({ ids: [...fifty, 'more'] }))).to.include({ code: 'request_too_large' });
    const dear = resultOf(
      await lookUp({ ids: ['MUG-1', 'red-s', 'blue-l'], filters: { price: { min: 2500 } } }),
    );
    expect(dear.products.map(({ variants }) => variants.map(({ sku }) => sku))).to.deep.equal([['blue-l']]);
  });

  it('shows one product with what each value of its options would come to', async () => {
    const found = resultOf(
      await product({ id: idNamed('root shirt'), selected: [{ name: 'colour', label: 'red' }] }),
    );
    expect(found.product?.selected).to.deep.equal([{ name: 'Colour', label: 'Red' }]);
    expect(found.product?.options).to.deep.equal([
      {
        name: 'Colour',
        values: [
          { label: 'Red', exists: true, isAvailable: true },
          { label: 'Blue', exists: true, isAvailable: true },
        ],
      },
      {
        name: 'Size',
        values: [
          { label: 'S', exists: true, isAvailable: false },
          { label: 'L', exists: true, isAvailable: true },
        ],
      },
    ]);
    expect(found.product?.variants.map(({ sku }) => sku)).to.deep.equal(['red-l', 'red-s', 'blue-l']);
    expect(found.product?.media).to.deep.equal([
      { type: 'image', url: `${base}/media/shirt.jpg`, altText: 'Linen shirt' },
    ]);
    expect(found.messages).to.deep.equal([]);
  });

  it('shows a requested variant first, and its options as the choice', async () => {
    const { product: found } = resultOf(await product({ id: 'blue-l' }));
    expect(found?.variants[0]?.sku).to.equal('blue-l');
    expect(found?.selected).to.deep.equal([
      { name: 'Colour', label: 'Blue' },
      { name: 'Size', label: 'L' },
    ]);
    const sizes = found?.options.find(({ name }) => name === 'Size')?.values;
    expect(sizes?.[0]).to.deep.equal({ label: 'S', exists: false, isAvailable: false });
  });

  it('keeps of a choice that no variant has what stands first among the preferences', async () => {
    const id = idNamed('root shirt');
    const selected = [
      { name: 'Size', label: 'S' },
      { name: 'Colour', label: 'Blue' },
      { name: 'Collar', label: 'wide' },
    ];
    const keep = async (...preferences: readonly string[]) =>
      resultOf(await product({ id, selected, preferences })).product?.selected;
    expect(await keep('Colour', 'Size')).to.deep.equal([{ name: 'Colour', label: 'Blue' }]);
    expect(await keep('size')).to.deep.equal([{ name: 'Size', label: 'S' }]);
    expect(resultOf(await product({ id, selected })).messages).to.deep.include({
      type: 'info',
      code: 'selection_relaxed',
      content: 'No variant has everything that was selected: see `selected` for what was kept of it.',
      path: '$.product.selected',
    });
  });

  it('has no product for what nobody can buy', async () => {
    for (const id of [idNamed('gone'), idNamed('root gone'), 'nothing', '']) {
      const found = resultOf(await product({ id }));
      expect(found.product).to.equal(null);
      expect(found.messages[0]).to.include({ type: 'error', code: 'not_found' });
    }
  });

  it('has a changed name, price, rate, stock or region in the next answer', async () => {
    const shop = openCatalogue();
    const context = { currency: 'JPY', address_country: 'GB' };
    const mugNow = async () => {
      const { products } = resultOf(await shop.lookUp({ ids: ['MUG-1'], context }));
      const [{ title, priceRange, variants }] = products as [(typeof products)[0]];
      return [title, priceRange.min.amount, variants[0]?.price.amount, variants[0]?.availability.status];
    };
    const after = (...events: readonly GivenEvent[]) => {
      applyTo(shop.reference, recordedEvents(events));
      return mugNow();
    };
    const { variant } = shop.reference.sellable('MUG-1');
    const { root } = productOnSale('MUG-1', { price: 1000, taxGroupId: null, isTracked: false });
    const warehouses = [{ warehouseId: idNamed('east'), priorityOrder: 0 }];
    const { ProductDetailsChanged, ProductVariantChanged } = productEvents.create;
    const ofMug = (event: ReturnType<typeof ProductVariantChanged | typeof ProductDetailsChanged>) =>
      inStream(streamOf.product(idNamed('root MUG-1')), event);
    expect(await mugNow()).to.deep.equal(['Crème mug', 1900, 1900, 'in_stock']);
    expect(
      await after(...ofMug(ProductDetailsChanged({ root: { ...root, rootName: 'Cup', warehouses }, at }))),
    ).to.deep.equal(['Cup', 1900, 1900, 'in_stock']);
    expect(
      await after(...ofMug(ProductVariantChanged({ variant: { ...variant, price: 4000 }, at }))),
    ).to.deep.equal(['Cup', 7600, 7600, 'in_stock']);
    expect(await after(...rates({ JPY: '200' }))).to.deep.equal(['Cup', 8000, 8000, 'in_stock']);
    expect(await after(mugsCounted(-7, 0))).to.deep.equal(['Cup', 8000, 8000, 'out_of_stock']);
    expect(await after(mugsCounted(2, 2))).to.deep.equal(['Cup', 8000, 8000, 'in_stock']);
    expect(await after(warehouseNamed('east', [serves('FR')]))).to.deep.equal([
      'Cup',
      8000,
      8000,
      'not_deliverable',
    ]);
  });

  it('shows new stock to all agents, wherever they are and whatever their currency', async () => {
    const shop = openCatalogue();
    const statuses = () =>
      Promise.all(
        [{}, { currency: 'JPY' }, { currency: 'JPY', address_country: 'GB' }].map(async (context) => {
          const { products } = resultOf(await shop.lookUp({ ids: ['MUG-1'], context }));
          return products[0]?.variants[0]?.availability.status;
        }),
      );
    expect(await statuses()).to.deep.equal(['in_stock', 'in_stock', 'in_stock']);
    applyTo(shop.reference, recordedEvents([mugsCounted(-7, 0)]));
    expect(await statuses()).to.deep.equal(['out_of_stock', 'out_of_stock', 'out_of_stock']);
    applyTo(shop.reference, recordedEvents([mugsCounted(2, 2)]));
    expect(await statuses()).to.deep.equal(['in_stock', 'in_stock', 'in_stock']);
  });

  describe('kept for the next answer', () => {
    const { ProductCreated, ProductDetailsChanged, ProductVariantChanged } = productEvents.create;
    const ofMug = (event: ReturnType<typeof ProductVariantChanged | typeof ProductDetailsChanged>) =>
      inStream(streamOf.product(idNamed('root MUG-1')), event);
    const describedAs = (description: string): readonly GivenEvent[] => {
      const [{ data }] = mug as readonly [ReturnType<typeof ProductCreated>];
      return ofMug(ProductDetailsChanged({ root: { ...data.root, description }, at }));
    };
    const apply = ({ reference }: ReturnType<typeof openCatalogue>, ...events: readonly GivenEvent[]) =>
      applyTo(reference, recordedEvents(events));
    const only = (found: Awaited<ReturnType<typeof lookUp>>) => {
      const { products } = resultOf(found);
      expect(products).to.have.lengthOf(1);
      return (products as [(typeof products)[0]])[0];
    };

    it('reads a description once for all agents', async () => {
      const shop = openCatalogue();
      for (const context of [{}, { currency: 'JPY' }, { address_country: 'GB' }]) {
        expect(only(await shop.lookUp({ ids: ['MUG-1'], context })).description).to.equal('Fired by hand');
        expect(only(await shop.search({ query: 'mug', context })).description).to.equal('Fired by hand');
      }
      apply(shop, mugsCounted(-7, 0));
      expect(only(await shop.lookUp({ ids: ['MUG-1'] })).description).to.equal('Fired by hand');
      expect(shop.list.reads).to.have.lengthOf(1);
    });

    it('keeps no description that the list of products has not got yet, though its words are the same', async () => {
      const shop = openCatalogue();
      const described = async () => only(await shop.lookUp({ ids: ['MUG-1'] })).description;
      expect(await described()).to.equal('Fired by hand');
      apply(shop, ...describedAs('Fired. By hand!'));
      expect(await described()).to.equal('Fired by hand');
      shop.list.descriptions.set(idNamed('root MUG-1'), 'Fired. By hand!');
      expect(await described()).to.equal('Fired. By hand!');
    });

    it('finds under an SKU what has it now', async () => {
      const shop = openCatalogue();
      expect(only(await shop.lookUp({ ids: ['MUG-1'] })).handle).to.equal('creme-mug');
      const { variant } = shop.reference.sellable('MUG-1');
      apply(
        shop,
        ...ofMug(ProductVariantChanged({ variant: { ...variant, sku: 'MUG-2' }, at })),
        ...productNamed('bowl', { variant: { sku: 'MUG-1' } }),
      );
      expect(only(await shop.lookUp({ ids: ['MUG-1'] })).handle).to.equal('bowl');
      expect(only(await shop.lookUp({ ids: ['MUG-2'] })).handle).to.equal('creme-mug');
    });

    it('shows another variant of a product as soon as the one that it was shown by is sold out', async () => {
      const shop = openCatalogue();
      const skuOf = async (body: object) =>
        only(await shop.lookUp({ ids: [idNamed('root shirt')], ...body })).variants.map(({ sku }) => sku);
      expect(await skuOf({})).to.deep.equal(['red-l']);
      expect(await skuOf({ filters: { price: { min: 2500 } } })).to.deep.equal(['blue-l']);
      expect(await skuOf({})).to.deep.equal(['red-l']);
      apply(shop, stockCounted('red-l', 'east', 0, 3));
      expect(await skuOf({})).to.deep.equal(['blue-l']);
    });

    it('is forgotten with a product that is shown in more ways than are kept', async () => {
      const shop = openCatalogue();
      const statusFor = async (host?: string) =>
        only(await shop.lookUp({ ids: ['MUG-1'] }, host)).variants.map(
          ({ availability }) => availability.status,
        );
      expect(await statusFor()).to.deep.equal(['in_stock']);
      const longName = 'a'.repeat(11_000_000);
      for (const host of [`https://${longName}.example`, `https://b${longName}.example`])
        expect(await statusFor(host)).to.deep.equal(['in_stock']);
      apply(shop, mugsCounted(-7, 0));
      expect(await statusFor()).to.deep.equal(['out_of_stock']);
    });

    it('loses no change that comes while a description is read', async () => {
      const shop = openCatalogue();
      const ids = [idNamed('root shirt')];
      const asked = shop.lookUp({ ids });
      apply(shop, stockCounted('red-l', 'east', 0, 3));
      await asked;
      expect(only(await shop.lookUp({ ids })).variants.map(({ sku }) => sku)).to.deep.equal(['blue-l']);
    });
  });
});
