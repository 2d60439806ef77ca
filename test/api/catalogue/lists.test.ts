import { expect } from 'chai';
import { collection as collectionKind } from '#entities/collection.entity.ts';
import { productType as productTypeKind } from '#entities/product-type.entity.ts';
import { taxGroup as taxGroupKind } from '#entities/tax-group.entity.ts';
import { warehouse as warehouseKind } from '#entities/warehouse.entity.ts';
import { discount } from '#entities/discount.entity.ts';
import { discountUsageEvents } from '#events/discount-usage.events.ts';
import { newId } from '#kernel/ids.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed, percentOff } from '#test/support/builders/basket.ts';
import { entityCreated, optionNamed, productNamed } from '#test/support/builders/reference.ts';
import { inStream, type GivenEvent } from '#test/support/given.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';
import { body, exactly, type Check } from '#test/support/scene.ts';

type Row = Readonly<Record<string, unknown>>;

const on = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;
const goods: readonly GivenEvent[] = [
  ...productNamed('Mug', {
    shelves: { East: 7, South: 3 },
    warehouses: ['South', 'East'],
    root: { collectionIds: [idNamed('Tea')], tags: ['Kitchen'] },
    variant: { price: 1200, filterIds: [idNamed('Blue')] },
    at: on(1),
  }),
  // Nothing of it lies in the south, which is Potter's, although it could be sent from there.
  ...productNamed('Pen', {
    shelves: { East: 0 },
    warehouses: ['South', 'East'],
    variant: { price: 150 },
    at: on(2),
  }),
  ...productNamed('Song', { root: { isDigitalProduct: true }, at: on(3) }),
  ...productNamed('Anywhere', { at: on(4) }),
  entityCreated(productTypeKind, 'type', { name: 'Crockery' }, on(1)),
  entityCreated(collectionKind, 'Tea', {}, on(1)),
];

const shipping: readonly GivenEvent[] = [
  entityCreated(warehouseKind, 'East', { code: 'E1', address: { countryCode: 'GB' } }, on(1)),
  entityCreated(
    warehouseKind,
    'South',
    { supplierId: idNamed('Potter'), address: { countryCode: 'GB' } },
    on(1),
  ),
  optionNamed('Parcel', 'East', { fixedCost: 450 }),
];

const ten = percentOff('TEN', 10, { totalUsageLimit: 5 });
const discounts: readonly GivenEvent[] = [
  ...inStream(
    streamOf.discount(ten.id),
    discount.events.create.DiscountCreated({ rule: ten.rule, status: 'Active', at: on(1) }),
  ),
  ...inStream(
    streamOf.discountUsage(ten.id),
    discountUsageEvents.create.DiscountUseClaimed({
      discountId: ten.id,
      basketId: newId(),
      placementId: newId(),
      customerId: newId(),
      amount: 100,
      uses: 1,
    }),
  ),
  ...inStream(streamOf.discount(ten.id), discount.events.create.DiscountDeactivated({ at: on(3) })),
];

describe('the lists of the backoffice', () => {
  let shop: ReadingShop;
  before(async () => {
    const group = (name: string, day: number) =>
      entityCreated(taxGroupKind, name, { taxPercentage: 20 }, on(day));
    const groups = [group('Standard', 1), group('Reduced', 3), group('Books', 2)];
    shop = await openReadingShop([...groups, ...goods, ...shipping, ...discounts]);
  });
  after(() => shop.close());

  const rows = (field: string, ...wanted: readonly unknown[]): Check =>
    body(({ items }) => expect(items.map((item: Row) => item[field])).to.deep.equal(wanted));

  for (const [query, ...names] of [
    ['', 'Reduced', 'Books', 'Standard'],
    ['?sortBy=colour', 'Reduced', 'Books', 'Standard'],
    ['?sortBy=name', 'Books', 'Reduced', 'Standard'],
    ['?sortBy=name&sortDirection=desc&pageSize=1&page=2', 'Reduced'],
    ['?sortBy=name&sortDir=desc', 'Standard', 'Reduced', 'Books'],
    ['?sortBy=name&sortDir=desc&sortDirection=asc', 'Books', 'Reduced', 'Standard'],
    ['?search=OO', 'Books'],
  ] as const) {
    it(`begin with the newest, and sort and search by name: /tax-groups${query}`, async () => {
      await shop
        .manage(`/tax-groups${query}`)
        .then(200)
        .and(rows('name', ...names));
    });
  }

  it('search a warehouse by its code, too', async () => {
    await shop.manage('/warehouses?search=e1').then(200).and(rows('name', 'East'));
  });

  it('show one entity as its change answers it', async () => {
    const books = {
      id: idNamed('Books'),
      name: 'Books',
      taxPercentage: 20,
      rates: [],
      dateCreated: on(2),
      dateUpdated: on(2),
    };
    await shop
      .manage(`/tax-groups/${idNamed('Books')}`)
      .then(200)
      .and(exactly(books));
    await shop.manage(`/shipping-options/${idNamed('Parcel')}`).then(200, { fixedCost: 4.5 });
    await shop.manage(`/product-types/${idNamed('type')}`).then(200, { alias: 'crockery' });
    await shop.manage(`/collections/${idNamed('Tea')}`).then(200, { slug: 'tea' });
  });

  it('know nothing of what is not there', async () => {
    for (const path of [
      'tax-groups',
      'warehouses',
      'shipping-options',
      'product-types',
      'collections',
      'products',
    ])
      await shop.manage(`/${path}/${newId()}`).then(404, { success: false });
  });

  it('show a discount with its status and its uses', async () => {
    const row = { id: ten.id, code: 'TEN', status: 'Disabled', usageCount: 1, dateUpdated: on(3) };
    const { body: list } = await shop.manage('/discounts?search=ten').then(200);
    expect(list.items[0]).to.deep.include(row);
    await shop.manage(`/discounts/${ten.id}`).then(200).and(exactly(list.items[0]));
  });

  it('show a row for every product, with its price and what is left of it', async () => {
    const { body: list } = await shop
      .manage('/products')
      .then(200)
      .and(rows('rootName', 'Anywhere', 'Song', 'Pen', 'Mug'));
    const [anywhere, , pen, mug] = list.items;
    expect(anywhere).to.include({ availableStock: null });
    expect(pen).to.deep.include({ priceFrom: 1.5, availableStock: 0 });
    expect(mug).to.deep.include({
      id: idNamed('root Mug'),
      productTypeName: 'Crockery',
      variantCount: 1,
      priceFrom: 12,
      priceTo: 12,
      availableStock: 10,
    });
    expect(mug.variants).to.deep.equal([
      {
        id: idNamed('Mug'),
        name: 'Mug',
        sku: 'Mug',
        price: 12,
        availableForPurchase: true,
        availableStock: 10,
      },
    ]);
  });

  for (const [query, ...names] of [
    ['sortBy=name&sortDir=desc', 'Song', 'Pen', 'Mug', 'Anywhere'],
    [`productTypeId=${idNamed('type')}`, 'Anywhere', 'Song', 'Pen', 'Mug'],
    [`productTypeId=${idNamed('another type')}`],
    [`collectionId=${idNamed('Tea')}`, 'Mug'],
    ['sku=PEN', 'Pen'],
    ['search=mu', 'Mug'],
    [`filterId=${idNamed('Blue')}`, 'Mug'],
    [`filterId=${idNamed('Red')}`],
    ['tag=KITCHEN', 'Mug'],
    ['tag=kit'],
    ['kind=digital', 'Song'],
    ['kind=PHYSICAL', 'Anywhere', 'Pen', 'Mug'],
    ['kind=&tag=&supplierId=', 'Anywhere', 'Song', 'Pen', 'Mug'],
    [`supplierId=${idNamed('Potter')}`, 'Anywhere', 'Mug'],
    [`supplierId=${idNamed('Idle')}`],
    [`supplierId=${idNamed('Potter')}&kind=digital`],
    [`supplierId=${idNamed('Potter')}&tag=kitchen&filterId=${idNamed('Blue')}`, 'Mug'],
  ] as const) {
    it(`filter and sort products by ${query}`, async () => {
      await shop
        .manage(`/products?${query}`)
        .then(200)
        .and(rows('rootName', ...names));
    });
  }

  for (const [query, problem] of [
    ['kind=service', 'kind: must be one of physical, digital'],
    ['kind=7', 'kind: must be one of physical, digital'],
    ['filterId=blue', 'filterId: must be a GUID'],
    ['supplierId=potter', 'supplierId: must be a GUID'],
  ] as const) {
    it(`refuse to filter products by ${query}`, async () => {
      await shop
        .manage(`/products?${query}`)
        .then(400, { success: false })
        .and(body(({ errors }) => expect(errors).to.deep.equal([problem])));
    });
  }

  it('show the rows of products by their ids or those of their variants, in this order and each once', async () => {
    const [mug, pen] = [idNamed('root Mug'), idNamed('Pen')];
    const { body: list } = await shop
      .manage(`/products/by-ids?ids=${pen},${newId()}&ids=${mug}&ids=${idNamed('Mug')}`)
      .then(200, { totalItems: 2 })
      .and(rows('rootName', 'Pen', 'Mug'));
    const { body: whole } = await shop.manage('/products?search=pen').then(200);
    expect(list.items[0]).to.deep.equal(whole.items[0]);
  });

  for (const [query, problem] of [
    ['', 'ids: must not be empty'],
    ['?ids=mug', 'ids.0: must be a GUID'],
    [
      `?ids=${Array.from({ length: 201 }, () => idNamed('Mug')).join()}`,
      'ids: must have at most 200 entries',
    ],
  ] as const) {
    it(`refuse ${query.slice(0, 12) || 'no'} ids of products`, async () => {
      await shop
        .manage(`/products/by-ids${query}`)
        .then(400, { success: false })
        .and(body(({ errors }) => expect(errors).to.deep.equal([problem])));
    });
  }

  it('show the products that a warehouse may send', async () => {
    const path = (name: string) => `/warehouses/${idNamed(name)}/products`;
    await shop
      .manage(path('South'))
      .then(200, { totalItems: 2 })
      .and(rows('rootName', 'Anywhere', 'Mug'));
    await shop
      .manage(`${path('East')}?sortBy=name&pageSize=2&page=2`)
      .then(200, { totalItems: 3 })
      .and(rows('rootName', 'Pen'));
    await shop
      .manage(`${path('South')}?tag=kitchen`)
      .then(200)
      .and(rows('rootName', 'Mug'));
    await shop.manage(path('West')).then(404, { success: false });
  });

  it('show a product with the stock of its variants', async () => {
    const { body: product } = await shop.manage(`/products/${idNamed('root Mug')}`).then(200);
    const [variant] = product.variants;
    expect(variant).to.deep.include({ sku: 'Mug', price: 12, default: true, isStockTracked: true });
    expect(variant.stock[0]).to.deep.include({ stock: 7, reservedStock: 0, availableStock: 7 });
  });
});
