import { expect } from 'chai';
import { collection as collectionKind } from '#entities/collection.entity.ts';
import { productType as productTypeKind } from '#entities/product-type.entity.ts';
import { taxGroup as taxGroupKind } from '#entities/tax-group.entity.ts';
import { warehouse as warehouseKind } from '#entities/warehouse.entity.ts';
import { discountEvents, discountUsageEvents } from '#events/discount.events.ts';
import { newId } from '#kernel/ids.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed, percentOff } from '#test/support/builders/basket.ts';
import { managed, optionNamed, productNamed } from '#test/support/builders/reference.ts';
import { inStream, type GivenEvent } from '#test/support/given.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';

const on = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;
const goods: readonly GivenEvent[] = [
  ...productNamed('Mug', {
    shelves: { East: 7 },
    root: { collectionIds: [idNamed('Tea')] },
    variant: { price: 1200 },
    at: on(1),
  }),
  ...productNamed('Pen', { warehouses: ['East'], variant: { price: 150 }, at: on(2) }),
  managed(productTypeKind, 'type', { name: 'Crockery' }, on(1)),
  managed(collectionKind, 'Tea', {}, on(1)),
];

const shipping: readonly GivenEvent[] = [
  managed(warehouseKind, 'East', { code: 'E1', address: { countryCode: 'GB' } }, on(1)),
  optionNamed('Parcel', 'East', { fixedCost: 450 }),
];

const ten = percentOff('TEN', 10);
const discounts: readonly GivenEvent[] = [
  ...inStream(
    streamOf.discount(ten.id),
    discountEvents.create.DiscountCreated({ rule: ten.rule, status: 'Active', at: on(1) }),
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
  ...inStream(streamOf.discount(ten.id), discountEvents.create.DiscountDeactivated({ at: on(3) })),
];

describe('the lists of the backoffice', () => {
  let shop: ReadingShop;
  before(async () => {
    const group = (name: string, day: number) => managed(taxGroupKind, name, { taxPercentage: 20 }, on(day));
    const groups = [group('Standard', 1), group('Reduced', 3), group('Books', 2)];
    shop = await openReadingShop([...groups, ...goods, ...shipping, ...discounts]);
  });
  after(() => shop.close());

  const itemsOf = async (path: string) => {
    const { status, body } = await shop.manage(path);
    expect(status, path).to.equal(200);
    return body.items as Readonly<Record<string, unknown>>[];
  };
  const namesOf = async (path: string) => (await itemsOf(path)).map(({ name }) => name);

  it('begin with the newest, and sort and search by name', async () => {
    expect(await namesOf('/tax-groups')).to.deep.equal(['Reduced', 'Books', 'Standard']);
    expect(await namesOf('/tax-groups?sortBy=colour')).to.deep.equal(['Reduced', 'Books', 'Standard']);
    expect(await namesOf('/tax-groups?sortBy=name')).to.deep.equal(['Books', 'Reduced', 'Standard']);
    expect(await namesOf('/tax-groups?sortBy=name&sortDirection=desc&pageSize=1&page=2')).to.deep.equal([
      'Reduced',
    ]);
    expect(await namesOf('/tax-groups?sortBy=name&sortDir=desc')).to.deep.equal([
      'Standard',
      'Reduced',
      'Books',
    ]);
    expect(await namesOf('/tax-groups?sortBy=name&sortDir=desc&sortDirection=asc')).to.deep.equal([
      'Books',
      'Reduced',
      'Standard',
    ]);
    expect(await namesOf('/tax-groups?search=OO')).to.deep.equal(['Books']);
    expect(await namesOf('/warehouses?search=e1')).to.deep.equal(['East']);
  });

  it('show one entity as its change answers it', async () => {
    const { body } = await shop.manage(`/tax-groups/${idNamed('Books')}`);
    expect(body).to.deep.equal({
      id: idNamed('Books'),
      name: 'Books',
      taxPercentage: 20,
      rates: [],
      dateCreated: on(2),
      dateUpdated: on(2),
    });
    expect((await shop.manage(`/shipping-options/${idNamed('Parcel')}`)).body.fixedCost).to.equal(4.5);
    expect((await shop.manage(`/product-types/${idNamed('type')}`)).body.alias).to.equal('crockery');
    expect((await shop.manage(`/collections/${idNamed('Tea')}`)).body.slug).to.equal('tea');
  });

  it('know nothing of what is not there', async () => {
    for (const path of [
      'tax-groups',
      'warehouses',
      'shipping-options',
      'product-types',
      'collections',
      'products',
    ]) {
      const { status, body } = await shop.manage(`/${path}/${newId()}`);
      expect(status, path).to.equal(404);
      expect(body.success).to.equal(false);
    }
  });

  it('show a discount with its status and its uses', async () => {
    const [row] = await itemsOf('/discounts?search=ten');
    expect(row).to.deep.include({
      id: ten.id,
      code: 'TEN',
      status: 'Disabled',
      usageCount: 1,
      dateUpdated: on(3),
    });
    expect((await shop.manage(`/discounts/${ten.id}`)).body).to.deep.equal(row);
  });

  it('show a row for every product, with its price and what is left of it', async () => {
    const [pen, mug] = await itemsOf('/products');
    expect(
      (await itemsOf('/products?sortBy=name&sortDir=desc')).map(({ rootName }) => rootName),
    ).to.deep.equal(['Pen', 'Mug']);
    expect(pen).to.deep.include({ rootName: 'Pen', priceFrom: 1.5, availableStock: null });
    expect(mug).to.deep.include({
      id: idNamed('root Mug'),
      rootName: 'Mug',
      productTypeName: 'Crockery',
      variantCount: 1,
      priceFrom: 12,
      priceTo: 12,
      availableStock: 7,
    });
    expect(mug?.variants).to.deep.equal([
      {
        id: idNamed('Mug'),
        name: 'Mug',
        sku: 'Mug',
        price: 12,
        availableForPurchase: true,
        availableStock: 7,
      },
    ]);
  });

  it('filter products by type, collection and sku', async () => {
    const found = async (query: string) =>
      (await itemsOf(`/products?${query}`)).map(({ rootName }) => rootName);
    expect(await found(`productTypeId=${idNamed('type')}`)).to.have.length(2);
    expect(await found(`productTypeId=${newId()}`)).to.have.length(0);
    expect(await found(`collectionId=${idNamed('Tea')}`)).to.deep.equal(['Mug']);
    expect(await found('sku=PEN')).to.deep.equal(['Pen']);
    expect(await found('search=mu')).to.deep.equal(['Mug']);
  });

  it('show a product with the stock of its variants', async () => {
    const { body } = await shop.manage(`/products/${idNamed('root Mug')}`);
    const [variant] = body.variants as Readonly<Record<string, unknown>>[];
    expect(variant).to.deep.include({ sku: 'Mug', price: 12, default: true, isStockTracked: true });
    expect((variant?.stock as unknown[])[0]).to.deep.include({
      stock: 7,
      reservedStock: 0,
      availableStock: 7,
    });
  });
});
