import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { body, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

const problems = (...errors: readonly string[]) =>
  body((found) => expect(found.errors).to.deep.equal(errors));

describe('products in the management API', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const { when, make, seen } = managing(() => shop);

  it('are made with variants and stock, which the answer tells whole', async () => {
    const warehouse = await make('/warehouses', { name: 'Stock', address: { countryCode: 'GB' } });
    const type = await make('/product-types', { name: 'Tea & more' });
    expect(type.alias).to.equal('tea-more');
    const collection = await make('/collections', { name: 'Spring' });
    const product = await make('/products', {
      rootName: 'Sencha',
      productTypeId: type.id,
      collectionIds: [collection.id],
      variants: [
        { sku: 'SEN-50', name: '50 g', price: 9.5, stock: [{ warehouseId: warehouse.id, stock: 5 }] },
        { sku: 'SEN-100', name: '100 g', price: 17, default: true, onSale: true, previousPrice: 20 },
      ],
    });
    expect(product).to.include({ rootUrl: 'sencha', isDigitalProduct: false });
    const [small, large] = product.variants;
    const url = '/sencha?variant=SEN-50';
    expect(small).to.include({ price: 9.5, default: false, isStockTracked: true, url });
    expect(small.stock).to.deep.equal([
      {
        warehouseId: warehouse.id,
        stock: 5,
        reservedStock: 0,
        availableStock: 5,
        trackStock: true,
        reorderPoint: null,
        reorderQuantity: null,
      },
    ]);
    expect(large).to.include({ default: true, isStockTracked: false, previousPrice: 20, url: '/sencha' });
    await seen('/products', product);
    await when(manage.delete(`/product-types/${type.id}`))
      .then(409)
      .and(refusedFor('still-used'));

    const { body: changed } = await when(
      manage.put(`/products/${product.id}`, {
        rootName: 'Fine Sencha',
        variants: [
          { sku: 'SEN-50', price: 10, stock: [{ warehouseId: warehouse.id, stock: 500 }] },
          { sku: 'SEN-250', price: 40 },
        ],
      }),
    ).then(200);
    const skus = changed.variants.map(({ sku }: { sku: string }) => sku);
    expect(skus).to.deep.equal(['SEN-50', 'SEN-100', 'SEN-250']);
    expect(changed.variants[0]).to.include({ price: 10, name: '50 g' });
    expect(changed.variants[0].stock[0].stock, 'stock counts for new rows only').to.equal(5);
    await seen('/products', changed);
  });

  it('are told apart by sku and address', async () => {
    const bowl = (sku: string) => ({ rootName: 'Bowl', sku, price: 5 });
    const first = await make('/products', bowl('BOWL'));
    const second = await make('/products', bowl('BOWL-2'));
    expect([first.rootUrl, second.rootUrl]).to.deep.equal(['bowl', 'bowl-2']);
    await when(manage.post('/products', bowl('BOWL')))
      .then(409)
      .and(refusedFor('value-taken'))
      .and(body(({ message }) => expect(message).to.include('sku')));
    const third = await make('/products', bowl('BOWL-3'));
    expect(third.rootUrl, 'a refused product keeps no address').to.equal('bowl-3');
    await when(manage.delete(`/products/${first.id}`)).then(204);
    await when(manage.post('/products', bowl('BOWL'))).then(201);
  });

  it('that are too large for one entry in the log are not taken, and nothing of them is kept', async () => {
    const variants = Array.from({ length: 2000 }, (_, index) => ({
      sku: `HUGE-${index}`,
      name: 'x'.repeat(200),
      price: 1,
    }));
    const message = /^This would record \d+ bytes at once; the limit is 1000000\./;
    await when(manage.post('/products', { rootName: 'Huge', variants }))
      .then(413)
      .and(refusedFor('command-too-large'))
      .and(body((told) => expect(told.message).to.match(message)));
    await make('/products', { rootName: 'Huge', sku: 'HUGE-1999', price: 1 });
  });

  it('are refused with what they lack', async () => {
    const begins = (problem: RegExp) => body(({ errors }) => expect(errors[0]).to.match(problem));
    const oddPrice = { rootName: 'Nothing', variants: [{ price: 1.005 }] };
    await when(manage.post('/products', oddPrice))
      .then(400)
      .and(begins(/^variants\.0\.price/));
    const lacks = ['sku: must be a sku', 'price: must be a price'];
    await when(manage.post('/products', { rootName: 'Nothing' }))
      .then(400)
      .and(body(({ errors }) => expect(errors).to.deep.equal(lacks)));
    const options = [{ name: 'Size', values: [{ name: 'S' }] }];
    await when(manage.post('/products', { rootName: 'Shirt', options }))
      .then(400)
      .and(problems(...lacks));
  });

  it('take add-ons, which every variant has', async () => {
    const engraving = { name: 'Engraving', isVariant: false, values: [{ name: 'Yes', priceAdjustment: 5 }] };
    const mug = await make('/products', { rootName: 'Mug', sku: 'MUG', price: 10, options: [engraving] });
    expect(mug.variants).to.have.length(1);
    expect(mug.variants[0]).to.include({ name: 'Mug', variantOptionsKey: null });
    expect(mug.options[0]).to.deep.include({ isVariant: false, isMultiSelect: true, isRequired: false });
    expect(mug.options[0].values[0]).to.deep.include({ fullName: 'Engraving: Yes', priceAdjustment: 5 });
    await seen('/products', mug);
  });

  it('cost nothing at least with any of their add-ons', async () => {
    const addOn = (values: readonly number[], more: object) => ({
      name: `Add-on ${values.join()}`,
      isVariant: false,
      values: values.map((priceAdjustment) => ({ name: `${priceAdjustment}`, priceAdjustment })),
      ...more,
    });
    const one = { isMultiSelect: false };
    const many = { isMultiSelect: true };
    const required = { isRequired: true };
    let number = 0;
    const costs = (...options: readonly object[]) => {
      number += 1;
      return manage.post('/products', { rootName: 'Add-ons', sku: `A-${number}`, price: 10, options });
    };
    for (const fine of [
      [addOn([-10, -9], one)],
      [addOn([-4, -6, 20], many)],
      [addOn([2, 3], { ...one, ...required }), addOn([-12], one)],
      [addOn([2, 3], { ...many, ...required }), addOn([-12], one)],
    ])
      await when(costs(...fine)).then(201);
    for (const tooCheap of [
      [addOn([-10.01, 0], one)],
      [addOn([-6, -5], many)],
      [addOn([5], one), addOn([-11], one)],
    ])
      await when(costs(...tooCheap))
        .then(400)
        .and(problems(`options: must be add-ons with which a unit of A-${number} costs nothing or more`))
        .and(noNewEvents());
    const { id } = await make('/products', {
      rootName: 'Gift',
      sku: 'GIFT',
      price: 10,
      options: [addOn([-10], one)],
    });
    await when(manage.put(`/products/${id}`, { variants: [{ sku: 'GIFT', price: 9.99 }] })).then(400);
  });

  it('have options, and values of each, that are told apart by their names', async () => {
    const size = { name: 'Size', isVariant: false, values: [{ name: 'S' }, { name: 's' }] };
    const again = { name: 'size', isVariant: false, values: [{ name: 'L' }] };
    await when(
      manage.post('/products', { rootName: 'Twice', sku: 'TWICE', price: 1, options: [size, again] }),
    )
      .then(400)
      .and(
        problems(
          'options.1.name: must be a name that no other option has',
          'options.0.values.1.name: must be a name that no other value of the option has',
        ),
      )
      .and(noNewEvents());
  });

  it('that are digital have add-ons, but no variant options', async () => {
    const ebook = (isVariant: boolean) => ({
      rootName: 'E-book',
      sku: 'EBOOK',
      isDigitalProduct: true,
      options: [{ name: 'Format', isVariant, values: [{ name: 'PDF' }] }],
      variants: [{ sku: 'EBOOK', price: 5 }],
    });
    await when(manage.post('/products', ebook(true)))
      .then(400)
      .and(problems('options: must be empty, as the product is digital'))
      .and(noNewEvents());
    await when(manage.post('/products', ebook(false))).then(201);
  });

  it('get, change and lose variants', async () => {
    const product = await make('/products', { rootName: 'Plate', sku: 'PL', price: 5 });
    const path = `/products/${product.id}/variants`;
    const added = await make(path, { sku: 'PL-XL', price: 8, name: 'Extra large' });
    expect(added).to.include({ sku: 'PL-XL', default: false });
    const renamed = { sku: 'PL-XXL', default: true };
    await when(manage.put(`${path}/${added.id}`, renamed)).then(200, { ...renamed, price: 8 });
    // Its old sku is free again.
    await make('/products', { rootName: 'Other', sku: 'PL-XL', price: 1 });
    await when(manage.put(`${path}/${nobody}`, { price: 1 })).then(404);
    await when(manage.delete(`${path}/${added.id}`)).then(204);
    // The last one stays.
    await when(manage.delete(`${path}/${product.variants[0].id}`))
      .then(409)
      .and(noNewEvents());
  });
});
