import { expect } from 'chai';
import { collection } from '#entities/collection.entity.ts';
import { filterGroup } from '#entities/filter-group.entity.ts';
import { filter } from '#entities/filter.entity.ts';
import { productType } from '#entities/product-type.entity.ts';
import type { ShopFacets } from '#contracts/shop-products.contract.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import {
  entityCreated,
  productNamed,
  taxGroupNamed,
  warehouseNamed,
  type StockedProduct,
} from '#test/support/builders/reference.ts';
import { inStream, type GivenEvent } from '#test/support/given.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';

const [red, blue, small, large] = [idNamed('red'), idNamed('blue'), idNamed('small'), idNamed('large')];

const sold = (
  sku: string,
  rootName: string,
  price: number,
  filterIds: readonly string[],
  { root, ...rest }: StockedProduct = {},
): readonly GivenEvent[] =>
  productNamed(sku, {
    shelves: { East: 3 },
    ...rest,
    root: {
      rootName,
      rootUrl: sku,
      productTypeId: idNamed('Crockery'),
      collectionIds: [idNamed('Spring')],
      tags: ['Gift idea'],
      ...root,
    },
    variant: { name: rootName, price, filterIds: [...filterIds] },
  });

const filterOf = (name: string, group: string, sortOrder: number, hexColour?: string): GivenEvent =>
  entityCreated(filter, name, { filterGroupId: idNamed(group), sortOrder, ...(hexColour && { hexColour }) });

const events: readonly GivenEvent[] = [
  warehouseNamed('East'),
  taxGroupNamed('standard', 20),
  entityCreated(productType, 'Crockery', {}),
  entityCreated(productType, 'Linen', {}),
  entityCreated(collection, 'Spring', {}),
  entityCreated(collection, 'Autumn', {}),
  entityCreated(filterGroup, 'Size', { sortOrder: 2 }),
  entityCreated(filterGroup, 'Colour', { sortOrder: 1 }),
  filterOf('red', 'Colour', 2, '#f00'),
  filterOf('blue', 'Colour', 1),
  filterOf('green', 'Colour', 3),
  filterOf('small', 'Size', 1),
  filterOf('large', 'Size', 2),
  ...sold('mug', 'Blue mug', 1000, [blue, large], { root: { taxGroupId: idNamed('standard') } }),
  ...sold('cup', 'Blue cup', 500, [blue, small], { root: { collectionIds: [idNamed('Autumn')] } }),
  ...sold('dish', 'Red dish', 2500, [red, large], { root: { tags: ['gift IDEA', 'Oven'] } }),
  ...sold('towel', 'Red towel', 400, [red], {
    shelves: { East: 0 },
    root: { productTypeId: idNamed('Linen'), tags: [] },
  }),
];

type AllFacets = { readonly [Name in keyof ShopFacets]-?: Exclude<ShopFacets[Name], undefined> };

describe('facets of the list of products', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop(events, { defaultShippingCountry: 'GB', displayPricesIncTax: true });
  });
  after(() => shop.close());

  const facetsFor = async (query: string): Promise<AllFacets> =>
    (await shop.visit(`/products?${query}`).then(200)).body.facets;
  const countsIn = ({ filterGroups }: ShopFacets) =>
    Object.fromEntries(
      (filterGroups ?? []).flatMap(({ filters }) => filters.map(({ name, count }) => [name, count])),
    );

  it('are there when they are asked for, and then in full', async () => {
    const without = await shop.visit('/products').then(200);
    expect(without.body).to.not.have.property('facets');
    expect((await shop.visit('/products?facets=false').then(200)).body).to.not.have.property('facets');

    expect(await facetsFor('facets=true')).to.deep.equal({
      filterGroups: [
        {
          id: idNamed('Colour'),
          name: 'Colour',
          filters: [
            { id: blue, name: 'blue', hexColour: null, image: null, count: 2, isSelected: false },
            { id: red, name: 'red', hexColour: '#f00', image: null, count: 2, isSelected: false },
          ],
        },
        {
          id: idNamed('Size'),
          name: 'Size',
          filters: [
            { id: small, name: 'small', hexColour: null, image: null, count: 1, isSelected: false },
            { id: large, name: 'large', hexColour: null, image: null, count: 2, isSelected: false },
          ],
        },
      ],
      price: { min: 4, max: 25, formattedMin: '£4.00', formattedMax: '£25.00' },
      availability: { available: 3, unavailable: 1 },
      collections: [
        { id: idNamed('Autumn'), name: 'Autumn', slug: 'autumn', count: 1, isSelected: false },
        { id: idNamed('Spring'), name: 'Spring', slug: 'spring', count: 3, isSelected: false },
      ],
      productTypes: [
        { id: idNamed('Crockery'), name: 'Crockery', alias: 'crockery', count: 3, isSelected: false },
        { id: idNamed('Linen'), name: 'Linen', alias: 'linen', count: 1, isSelected: false },
      ],
      tags: [
        { name: 'Gift idea', count: 3, isSelected: false },
        { name: 'Oven', count: 1, isSelected: false },
      ],
    });
  });

  it('count the others of a group as if none of it were chosen, and everything else beside what is', async () => {
    const chosen = await facetsFor(`facets=true&filter=${blue}`);
    expect(countsIn(chosen)).to.deep.equal({ blue: 2, red: 2, small: 1, large: 1 });
    expect(chosen.filterGroups[0]?.filters.map(({ isSelected }) => isSelected)).to.deep.equal([true, false]);
    expect(chosen.price).to.include({ min: 5, max: 12 });
    expect(chosen.availability).to.deep.equal({ available: 2, unavailable: 0 });
    expect(chosen.productTypes.map(({ name, count }) => [name, count])).to.deep.equal([['Crockery', 2]]);

    const both = await facetsFor(`facets=true&filter=${blue}&filter=${red}&filter=${large}`);
    expect(countsIn(both)).to.deep.equal({ blue: 1, red: 1, small: 1, large: 2 });

    const inAutumn = await facetsFor('facets=true&collection=autumn');
    expect(
      inAutumn.collections.map(({ name, count, isSelected }) => [name, count, isSelected]),
    ).to.deep.equal([
      ['Autumn', 1, true],
      ['Spring', 3, false],
    ]);
    expect(countsIn(inAutumn)).to.deep.equal({ blue: 1, small: 1 });
  });

  it('name what is chosen even where nothing is found with it', async () => {
    const facets = await facetsFor(`facets=true&filter=${idNamed('green')}&collection=autumn&search=dish`);
    expect(countsIn(facets)).to.deep.equal({ green: 0 });
    expect(facets.collections.map(({ name, count }) => [name, count])).to.deep.equal([['Autumn', 0]]);
    expect(facets.price).to.equal(null);
  });

  it('show prices with tax where the shop does, whatever prices are asked for', async () => {
    const { price, availability } = await facetsFor('facets=true&maxPrice=6&search=blue');
    expect(price).to.deep.equal({ min: 5, max: 12, formattedMin: '£5.00', formattedMax: '£12.00' });
    expect(availability).to.deep.equal({ available: 1, unavailable: 0 });
  });

  it('can be asked for one by one, groups of filters by their ids', async () => {
    expect(Object.keys(await facetsFor('facets=price,tags'))).to.have.members(['price', 'tags']);
    expect(Object.keys(await facetsFor('facets=price&facets=productTypes'))).to.have.members([
      'price',
      'productTypes',
    ]);
    const { filterGroups, ...others } = await facetsFor(`facets=${idNamed('Size').toUpperCase()}`);
    expect(others).to.deep.equal({});
    expect(filterGroups.map(({ name }) => name)).to.deep.equal(['Size']);
  });

  it('are refused with filters of more than ten groups', async () => {
    const names = Array.from({ length: 11 }, (_, number) => `group ${number}`);
    const own = await openReadingShop([
      ...names.map((name) => entityCreated(filterGroup, name, {})),
      ...names.map((name) => filterOf(`of ${name}`, name, 0)),
    ]);
    const asked = (count: number) =>
      names
        .slice(0, count)
        .map((name) => `filter=${idNamed(`of ${name}`)}`)
        .join('&');
    await own.visit(`/products?${asked(10)}`).then(200, { totalItems: 0 });
    const { body } = await own.visit(`/products?${asked(11)}`).then(400);
    expect(body.errors).to.deep.equal(['filter: must be filters of at most 10 groups']);
    await own.close();
  });

  it('follow sales, prices and names at once', async () => {
    const own = await openReadingShop(events, { defaultShippingCountry: 'GB' });
    const facets = async () => (await own.visit('/products?facets=true&search=mug').then(200)).body.facets;
    expect((await facets()).availability).to.deep.equal({ available: 1, unavailable: 0 });
    const move = { productId: idNamed('mug'), warehouseId: idNamed('East'), sku: 'mug', adjustedBy: -3 };
    const emptied = inventoryEvents.create.StockAdjusted({ ...move, reason: 'sold', stock: 0, reserved: 0 });
    await own.record(...inStream(streamOf.stock(idNamed('mug East')), emptied));
    await own.record(entityCreated(filter, 'blue', { name: 'navy', filterGroupId: idNamed('Colour') }));
    const now = await facets();
    expect(now.availability).to.deep.equal({ available: 0, unavailable: 1 });
    expect(now.filterGroups[0].filters[0]).to.include({ id: blue, name: 'navy' });
    await own.record(...sold('mug', 'Blue mug', 900, [red]));
    expect((await facets()).price).to.include({ min: 9, max: 9 });
    expect(countsIn(await facets())).to.deep.equal({ red: 1 });
    await own.close();
  });
});

describe('a search of the list of products', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop([
      ...events,
      ...sold('kettle-copper', 'Steel kettle', 100, []),
      ...sold('a1', 'Copper pan', 100, []),
      ...sold('a2', 'Copperware', 100, []),
      ...sold('a3', 'Tagged', 100, [], { root: { tags: ['copper'] } }),
      ...sold('a4', 'Described', 100, [], { root: { description: '<p>Goes well with copper.</p>' } }),
      ...sold('a5', 'Copper tray, sold out', 100, [], { shelves: { East: 0 } }),
    ]);
  });
  after(() => shop.close());
  const found = async (query: string): Promise<readonly string[]> => {
    const { body } = await shop.visit(`/products?${query}`).then(200);
    return (body.items as { url: string }[]).map(({ url }) => url);
  };

  it('puts names before SKUs before tags before descriptions, and what is sold out last', async () => {
    expect(await found('search=copper')).to.deep.equal(['a1', 'a2', 'kettle-copper', 'a3', 'a4', 'a5']);
    expect(await found('search=copper&sort=name')).to.deep.equal([
      'a1',
      'a5',
      'a2',
      'a4',
      'kettle-copper',
      'a3',
    ]);
    expect((await found('')).slice(-2)).to.deep.equal(['a5', 'towel']);
  });

  it('forgives one typing error in words of five letters or more, unless a product has the word', async () => {
    expect(await found('search=coper+pan')).to.deep.equal(['a1']);
    expect(await found('search=kettel')).to.deep.equal(['kettle-copper']);
    expect(await found('search=crokcery&sort=name')).to.include('cup');
    expect(await found('search=tray')).to.deep.equal(['a5']);
    expect(await found('search=tary')).to.deep.equal([]);
    expect(await found('search=coppre+pam')).to.deep.equal([]);
  });

  it('finds beginnings of words of descriptions from three letters on', async () => {
    expect(await found('search=goe')).to.deep.equal(['a4']);
    expect(await found('search=go')).to.deep.equal([]);
    expect(await found('search=p')).to.not.include('a4');
  });

  it('shows alone what can be had', async () => {
    expect(await found('search=copper+tray&availableOnly=true')).to.deep.equal([]);
    expect(await found('search=copper+tray&availableOnly=false')).to.deep.equal(['a5']);
    expect(await found(`filter=${red}&availableOnly=true`)).to.deep.equal(['dish']);
  });
});

describe('collections that were called alike before slugs were unique', () => {
  it('have a number behind their slugs, all but the first, and are found by it', async () => {
    const ids = ['Spring', 'Spring again', 'Spring once more'].map(idNamed).sort();
    const [first = '', second = '', third = ''] = ids;
    const named = (id: string, slug: string): GivenEvent => ({
      ...entityCreated(collection, 'any', { name: 'Spring', slug }),
      stream: `${collection.category}-${id}`,
    });
    const shop = await openReadingShop([
      named(third, 'SPRING'),
      named(first, 'spring'),
      named(second, 'spring'),
      named(idNamed('other'), 'spring-2'),
      ...sold('mug', 'Mug', 100, [], { root: { collectionIds: [third] } }),
    ]);
    const { body } = await shop.visit('/collections').then(200);
    const slugs = new Map((body.items as { id: string; slug: string }[]).map(({ id, slug }) => [id, slug]));
    expect([first, second, third, idNamed('other')].map((id) => slugs.get(id))).to.deep.equal([
      'spring',
      'spring-3',
      'SPRING-4',
      'spring-2',
    ]);
    await shop.visit('/products?collection=spring-4').then(200, { totalItems: 1 });
    await shop.visit(`/products?collection=${third}`).then(200, { totalItems: 1 });
    await shop.visit('/products?collection=spring').then(200, { totalItems: 0 });
    await shop.close();
  });
});
