import { collection as collectionKind } from '#entities/collection.entity.ts';
import { filterGroup } from '#entities/filter-group.entity.ts';
import { filter } from '#entities/filter.entity.ts';
import { productType } from '#entities/product-type.entity.ts';
import type { ProductParts } from '#entities/product-parts.ts';
import { productEvents, type ProductEvent, type ProductVariant } from '#events/catalogue.events.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import { streamOf } from '#values/stream-name.ts';
import { expect } from 'chai';
import { idNamed } from '#test/support/builders/basket.ts';
import {
  entityCreated,
  optionNamed,
  productNamed,
  serves,
  taxGroupNamed,
  warehouseNamed,
  type StockedProduct,
} from '#test/support/builders/reference.ts';
import { inStream, type GivenEvent } from '#test/support/given.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';

const [red, blue, large] = [idNamed('red'), idNamed('blue'), idNamed('large')];

const sold = (
  sku: string,
  rootName: string,
  price: number,
  { root, variant, ...rest }: StockedProduct = {},
): readonly GivenEvent[] =>
  productNamed(sku, {
    shelves: { East: 3 },
    ...rest,
    root: { rootName, rootUrl: sku, productTypeId: idNamed('Crockery'), ...root },
    variant: { name: rootName, price, ...variant },
  });

const events: readonly GivenEvent[] = [
  warehouseNamed('East', [serves('GB')]),
  optionNamed('Parcel', 'East'),
  taxGroupNamed('standard', 20),
  entityCreated(productType, 'Crockery', {}),
  entityCreated(productType, 'Linen', {}),
  entityCreated(collectionKind, 'Spring', {}),
  entityCreated(collectionKind, 'Autumn', {}),
  entityCreated(filterGroup, 'Colour', {}),
  entityCreated(filterGroup, 'Size', {}),
  entityCreated(filter, 'red', { filterGroupId: idNamed('Colour') }),
  entityCreated(filter, 'blue', { filterGroupId: idNamed('Colour') }),
  entityCreated(filter, 'large', { filterGroupId: idNamed('Size') }),
  ...sold('mug', 'Blue mug', 1000, {
    root: { collectionIds: [idNamed('Spring')], tags: ['Gift idea'], taxGroupId: idNamed('standard') },
    variant: { filterIds: [blue, large], onSale: true, previousPrice: 1200 },
  }),
  ...sold('creme', 'Crème brûlée dish', 2500, { root: { collectionIds: [idNamed('Spring')] } }),
  ...sold('towel', 'Mug towel', 400, {
    shelves: { East: 0 },
    root: { productTypeId: idNamed('Linen') },
    variant: { filterIds: [red] },
  }),
  ...sold('hidden', 'Withdrawn mug', 100, { variant: { availableForPurchase: false } }),
];

describe('what a shop sells', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop(events, { defaultShippingCountry: 'GB', displayPricesIncTax: true });
  });
  after(() => shop.close());

  /** The addresses of what a query finds, in order. */
  const found = async (query: string): Promise<readonly string[]> => {
    const { body } = await shop.visit(`/products?${query}`).then(200);
    return (body.items as { url: string }[]).map(({ url }) => url);
  };

  it('is found by words and their beginnings, without accents, in names, SKUs, tags and types', async () => {
    expect(await found('search=creme+BRULEE')).to.deep.equal(['creme']);
    expect(await found('search=bru')).to.deep.equal(['creme']);
    expect(await found('search=mug')).to.deep.equal(['mug', 'towel']);
    expect(await found('search=gift')).to.deep.equal(['mug']);
    expect(await found('search=croc&sort=name')).to.deep.equal(['mug', 'creme']);
    expect(await found('search=towel+mug')).to.deep.equal(['towel']);
    expect(await found('search=teapot')).to.deep.equal([]);
    expect(await found('search=withdrawn')).to.deep.equal([]);
  });

  it('is narrowed by collection, type, tag, and by filters of one group or another', async () => {
    expect(await found('collection=spring&sort=price')).to.deep.equal(['mug', 'creme']);
    expect(await found(`collection=${idNamed('Spring')}&sort=-price`)).to.deep.equal(['creme', 'mug']);
    expect(await found('collection=winter')).to.deep.equal([]);
    expect(await found('productType=LINEN')).to.deep.equal(['towel']);
    expect(await found('tag=gift+idea')).to.deep.equal(['mug']);
    expect(await found(`filter=${blue}`)).to.deep.equal(['mug']);
    expect(await found(`filter=${blue}&filter=${large}`)).to.deep.equal(['mug']);
    expect(await found(`filter=${blue}&filter=${red}&sort=name`)).to.deep.equal(['mug', 'towel']);
    expect(await found(`filter=${red}&filter=${large}`)).to.deep.equal([]);
  });

  it('is narrowed by the prices that are shown, tax included', async () => {
    expect(await found('minPrice=12&maxPrice=12')).to.deep.equal(['mug']);
    expect(await found('maxPrice=11.99')).to.deep.equal(['towel']);
    expect(await found('minPrice=12.01')).to.deep.equal(['creme']);
    expect(await found('search=mug&minPrice=5')).to.deep.equal(['mug']);
  });

  it('is listed by the best, name, price and age, a page at a time', async () => {
    expect(await found('')).to.deep.equal(['mug', 'creme', 'towel']);
    expect(await found('sort=price')).to.deep.equal(['towel', 'mug', 'creme']);
    expect(await found('sort=-price&page=2&pageSize=1')).to.deep.equal(['mug']);
    expect(await found('sort=newest')).to.deep.equal(['towel', 'creme', 'mug']);
    await shop
      .visit('/products?page=2&pageSize=500')
      .then(200, { items: [], page: 2, pageSize: 100, totalItems: 3, totalPages: 1, hasNextPage: false });
  });

  it('refuses what it cannot sort or count by, naming the field', async () => {
    for (const [query, message] of [
      ['sort=cheapest', 'sort'],
      ['minPrice=cheap', 'minPrice'],
      ['maxPrice=-1', 'maxPrice'],
      ['page=two', 'page'],
      ['availableOnly=soon', 'availableOnly'],
      [`filter=${idNamed('nothing')}`, 'filter'],
      [`filter=${red}&filter=red`, 'filter'],
      ['facets=everything', 'facets'],
      [`facets=price,${idNamed('nothing')}`, 'facets'],
    ] as const) {
      const { body } = await shop.visit(`/products?${query}`).then(400, { success: false });
      expect(JSON.stringify(body)).to.contain(message);
    }
  });

  it('is shown as cards', async () => {
    const { body } = await shop.visit('/products?search=blue').then(200, { currencyCode: 'GBP' });
    expect(body.items[0]).to.deep.include({
      productRootId: idNamed('root mug'),
      name: 'Blue mug',
      url: 'mug',
      productTypeName: 'Crockery',
      priceFrom: 12,
      priceTo: 12,
      formattedPrice: '£12.00',
      onSale: true,
      previousPrice: 14.4,
      formattedPreviousPrice: '£14.40',
      isAvailable: true,
      filterIds: [blue, large],
      filters: [
        { id: blue, name: 'blue', filterGroupId: idNamed('Colour'), filterGroupName: 'Colour' },
        { id: large, name: 'large', filterGroupId: idNamed('Size'), filterGroupName: 'Size' },
      ],
    });
    const towel = await shop.visit('/products?search=towel').then(200);
    expect(towel.body.items[0]).to.deep.include({
      onSale: false,
      previousPrice: null,
      isAvailable: false,
    });
  });

  it('shows the first three pictures, those of the product before those of its variants', async () => {
    const shown = await openReadingShop([
      ...sold('vase', 'Vase', 100, { root: { images: ['1', '2'] }, variant: { images: ['2', '3', '4'] } }),
    ]);
    const { body } = await shown.visit('/products').then(200);
    expect(body.items[0]).to.deep.include({ image: '1', images: ['1', '2', '3'] });
    const detail = await shown.visit('/products/vase').then(200);
    expect(detail.body.images).to.deep.equal(['1', '2']);
    expect(detail.body.variants[0]).to.include({ image: '2' });
    await shown.close();
  });

  it('is shown one by one, by id or address, with what can be chosen', async () => {
    for (const key of ['mug', 'MUG', idNamed('root mug')]) {
      const { body } = await shop.visit(`/products/${key}`).then(200, { name: 'Blue mug', url: 'mug' });
      expect(body.collections).to.deep.equal([{ id: idNamed('Spring'), name: 'Spring', slug: 'spring' }]);
      expect(body.variants).to.have.length(1);
      expect(body.variants[0]).to.deep.include({
        productId: idNamed('mug'),
        price: 12,
        formattedPrice: '£12.00',
        previousPrice: 14.4,
        taxRate: 20,
        taxAmount: 2,
        priceIncludesTax: true,
      });
      expect(body.variants[0].availability).to.include({ hasStock: true, canShipToLocation: true });
    }
    await shop.visit('/products/hidden').then(404, { success: false });
    await shop.visit(`/products/${idNamed('mug')}`).then(404, { success: false });
    await shop.visit('/products/nothing').then(404, { success: false });
  });

  it('stands in collections, with how many of it each shows', async () => {
    const { body } = await shop.visit('/collections').then(200, { totalItems: 2 });
    expect(body.items).to.deep.equal([
      { id: idNamed('Autumn'), name: 'Autumn', slug: 'autumn', productCount: 0 },
      { id: idNamed('Spring'), name: 'Spring', slug: 'spring', productCount: 2 },
    ]);
  });
});

describe('what a shop sells, once the backoffice changes it', () => {
  it('is found under its new name at once, and not under the old one; what is withdrawn is gone', async () => {
    const shop = await openReadingShop(events, { defaultShippingCountry: 'GB' });
    const [created] = sold('mug', 'Yellow cup', 900);
    if (created?.type !== 'ProductCreated') throw new Error('must be a product');
    const { root, variants } = created.data as ProductParts;
    const at = '2030-01-02T00:00:00.000Z';
    const inMug = (event: ProductEvent) => inStream(streamOf.product(idNamed('root mug')), event);
    const urls = async (query: string) =>
      (await shop.visit(`/products?${query}`).then(200)).body.items.map(({ url }: { url: string }) => url);

    await shop.record(...inMug(productEvents.create.ProductDetailsChanged({ root, at })));
    expect(await urls('search=yellow')).to.deep.equal(['mug']);
    expect(await urls('sort=name')).to.deep.equal(['creme', 'towel', 'mug']);
    expect(await urls('collection=spring')).to.deep.equal(['creme']);

    const variant = { ...variants[0], canPurchase: false } as ProductVariant;
    await shop.record(...inMug(productEvents.create.ProductVariantChanged({ variant, at })));
    expect(await urls('search=yellow')).to.deep.equal([]);
    await shop.visit('/products/mug').then(404);
    await shop.close();
  });

  it('has a page that follows stock, taxes and places, though nothing of the product itself changes', async () => {
    const shop = await openReadingShop(events, { defaultShippingCountry: 'GB', displayPricesIncTax: true });
    const page = async () => (await shop.visit('/products/mug').then(200)).body;
    expect(await page()).to.deep.equal(await page());
    expect(await page()).to.include({ priceFrom: 12, isAvailable: true });

    const emptied = inventoryEvents.create.StockAdjusted({
      productId: idNamed('mug'),
      warehouseId: idNamed('East'),
      sku: 'mug',
      adjustedBy: -3,
      reason: 'sold',
      stock: 0,
      reserved: 0,
    });
    await shop.record(...inStream(streamOf.stock(idNamed('mug East')), emptied));
    expect((await page()).isAvailable).to.equal(false);

    await shop.record(taxGroupNamed('standard', 10));
    expect((await page()).priceFrom).to.equal(11);

    await shop.record(entityCreated(collectionKind, 'Spring', { slug: 'may' }));
    expect((await page()).collections[0].slug).to.equal('may');
    await shop.close();
  });
});
