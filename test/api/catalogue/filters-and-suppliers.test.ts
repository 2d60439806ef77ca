import { expect } from 'chai';
import { createStoreImport } from '#command/contexts/store/import-store.ts';
import type { InvalidStoreFile } from '#command/contexts/store/read-store-file.ts';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { body, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const nobody = '00000000-0000-4000-8000-000000000000';
const problems = (...errors: readonly string[]) =>
  body((found) => expect(found.errors).to.deep.equal(errors));
const message = (part: string) => body((found) => expect(found.message).to.include(part));

describe('filters and suppliers', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const { when, make, seen } = managing(() => shop);

  it('are kept with all their fields', async () => {
    const group = await make('/filter-groups', { name: 'Colour', sortOrder: 3 });
    expect(group).to.include({ name: 'Colour', sortOrder: 3 });
    await seen('/filter-groups', group);
    const blue = { filterGroupId: group.id, name: 'Blue', hexColour: '#00f', image: 'blue.png' };
    const filter = await make('/filters', blue);
    expect(filter).to.include({ ...blue, sortOrder: 0 });
    await seen('/filters', filter);
    const potter = {
      name: 'Potter',
      code: 'POT',
      contactEmail: 'pat@example.com',
      address: { countryCode: 'gb' },
    };
    const supplier = await make('/suppliers', potter);
    expect(supplier).to.deep.include({ code: 'POT', contactName: null, fulfilmentTrigger: 'OnPaid' });
    expect(supplier.address).to.include({ countryCode: 'GB', country: 'United Kingdom' });
    await seen('/suppliers', supplier);
    const trigger = manage.put(`/suppliers/${supplier.id}`, { fulfilmentTrigger: 10 });
    await when(trigger).then(200, { fulfilmentTrigger: 'ExplicitRelease', code: 'POT' });
  });

  it('are refused when they name what is not there, or are misspelt', async () => {
    await when(manage.post('/filters', { name: 'Red', filterGroupId: nobody, hexColour: 'red' }))
      .then(400)
      .and(
        problems(
          'hexColour: must be a colour such as #00a0ff',
          'filterGroupId: must be an existing filter group',
        ),
      )
      .and(noNewEvents());
    const warehouse = { name: 'Shed', address: { countryCode: 'GB' } };
    await when(manage.post('/warehouses', { ...warehouse, supplierId: nobody }))
      .then(400)
      .and(problems('supplierId: must be an existing supplier'))
      .and(noNewEvents());
    await when(manage.post('/warehouses', { ...warehouse, fulfilmentProviderConfigurationId: nobody }))
      .then(400)
      .and(
        problems('fulfilmentProviderConfigurationId: must be an existing fulfilment provider configuration'),
      );
    await when(manage.post('/suppliers', { name: 'X', contactEmail: 'nobody', fulfilmentTrigger: 'Soon' }))
      .then(400)
      .and(body(({ errors }) => expect(errors).to.have.length(2)))
      .and(noNewEvents());
    await when(manage.post('/products', { rootName: 'Pot', sku: 'POT', price: 1, filterIds: [nobody] }))
      .then(400)
      .and(problems('variants.0.filterIds.0: must be an existing filter'))
      .and(noNewEvents());
  });

  it('stay while something names them, which the refusal tells', async () => {
    const group = await make('/filter-groups', { name: 'Size' });
    const filter = await make('/filters', { name: 'Large', filterGroupId: group.id });
    const pot = { rootName: 'Large pot', sku: 'LARGE', price: 1, filterIds: [filter.id] };
    const product = await make('/products', pot);
    expect(product.variants[0].filterIds).to.deep.equal([filter.id]);
    const supplier = await make('/suppliers', { name: 'Potter' });
    const shed = { name: 'Shed', address: { countryCode: 'GB' }, supplierId: supplier.id };
    const warehouse = await make('/warehouses', shed);
    expect(warehouse).to.include({ supplierId: supplier.id, fulfilmentProviderConfigurationId: null });
    for (const [path, user] of [
      [`/filter-groups/${group.id}`, 'the filter Large'],
      [`/filters/${filter.id}`, 'the product Large pot'],
      [`/suppliers/${supplier.id}`, 'the warehouse Shed'],
    ] as const)
      await when(manage.delete(path))
        .then(409)
        .and(refusedFor('still-used'))
        .and(message(user))
        .and(noNewEvents());
    for (const path of [
      `/products/${product.id}`,
      `/filters/${filter.id}`,
      `/filter-groups/${group.id}`,
      `/warehouses/${warehouse.id}`,
      `/suppliers/${supplier.id}`,
    ])
      await when(manage.delete(path)).then(204);
  });

  it('are put in an order, all of those that are named or none', async () => {
    const ids: string[] = [];
    for (const name of ['First', 'Second', 'Third']) ids.push((await make('/filter-groups', { name })).id);
    const wanted = ids.toReversed();
    const { body: told } = await when(manage.put('/filter-groups/reorder', { ids: wanted })).then(200);
    expect(
      told.items.map(({ name, sortOrder }: { name: string; sortOrder: number }) => [name, sortOrder]),
    ).to.deep.equal([
      ['Third', 0],
      ['Second', 1],
      ['First', 2],
    ]);
    await seen('/filter-groups', told.items[0]);
    await when(manage.put('/filter-groups/reorder', { ids: wanted }))
      .then(200)
      .and(noNewEvents());
    await when(manage.put('/filter-groups/reorder', { ids: [...ids, ids[0], nobody] }))
      .then(400)
      .and(problems('ids.3: must name each filter group once', 'ids.4: must be an existing filter group'))
      .and(noNewEvents());
    await when(manage.put('/filters/reorder', { ids: ['x'] })).then(400);
  });
});

describe('a store file', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const colour = { key: 'colour', name: 'Colour', filters: [{ key: 'blue', name: 'Blue' }] };
  const size = { name: 'Size', values: [{ name: 'S' }, { name: 'L', priceAdjustment: 2 }] };
  const tee = { key: 'tee', rootName: 'Tee', sku: 'TEE', price: 10, filters: ['blue'], options: [size] };
  const store = (more: object) => ({
    formatVersion: 1,
    suppliers: [{ key: 'weaver', name: 'Weaver' }],
    warehouses: [{ key: 'mill', name: 'Mill', supplier: 'weaver', address: { countryCode: 'GB' } }],
    filterGroups: [colour],
    products: [{ ...tee, stock: [{ warehouse: 'mill', stock: 4 }] }],
    ...more,
  });
  const load = (file: object) => createStoreImport(shop.shop.command.deps)(JSON.stringify(file));

  it('brings suppliers, filters in their groups, and products whose options make their variants, once', async () => {
    const { counts } = await load(store({}));
    expect(counts).to.include({ suppliers: 1, filterGroups: 1, filters: 1, products: 1 });
    await shop.settle();
    const small = shop.shop.runtime.reference.catalogue.variantBySku('TEE-S')?.variant;
    expect(small?.filterIds).to.have.length(1);
    expect((await load(store({}))).changed).to.equal(0);
    const dearer = store({ products: [{ ...tee, price: 11 }] });
    expect((await load(dearer)).changed).to.equal(1);
    await shop.settle();
    expect(shop.shop.runtime.reference.catalogue.variantBySku('TEE-L')?.variant.price).to.equal(1300);
  });

  it('tells where something is wrong with a filter in its group', async () => {
    const wrong = { ...colour, filters: [{ key: 'red', name: 'Red', hexColour: 'red' }] };
    const error: unknown = await load(store({ filterGroups: [wrong], products: [] })).catch(
      (refused: unknown) => refused,
    );
    expect((error as InvalidStoreFile).problems).to.deep.equal([
      'filterGroups.0.filters.0.hexColour: must be a colour such as #00a0ff',
    ]);
  });
});
