import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { manage, pay, readyToPay } from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { TestShop } from '#test/support/shop.ts';

type Body = ApiResponse['body'];
interface Variant {
  readonly id: string;
  readonly sku: string;
  readonly [field: string]: Body;
}

const problems = (...errors: readonly string[]) =>
  body((found) => expect(found.errors).to.deep.equal(errors));

const skus = ({ variants }: { variants: readonly Variant[] }): string[] => variants.map(({ sku }) => sku);

const variantOf = ({ variants }: { variants: readonly Variant[] }, sku: string): Variant =>
  variants.find((variant) => variant.sku === sku) ??
  expect.fail(`there is no ${sku} among ${skus({ variants }).join()}`);

const named = (name: string, count: number) => ({
  name,
  values: Array.from({ length: count }, (_, place) => ({ name: `${name} ${place}` })),
});

describe('variants that options make', () => {
  let shop: TestShop;
  let warehouseId: string;

  before(async () => {
    shop = await TestShop.open();
    warehouseId = (await make('/warehouses', { name: 'Stock', address: { countryCode: 'GB' } })).id;
    await make('/shipping-options', { name: 'Post', warehouseId, fixedCost: 3 });
  });
  after(() => shop.close());

  const { when, make, seen } = managing(() => shop);
  const refused = (wanted: object, ...errors: readonly string[]) =>
    when(manage.post('/products', wanted))
      .then(400)
      .and(problems(...errors))
      .and(noNewEvents());

  const small = { name: 'Small', skuSuffix: 'S' };
  const large = { name: 'Large', skuSuffix: 'L', priceAdjustment: 2.5, costAdjustment: 1 };
  const huge = { name: 'Huge', priceAdjustment: 4 };
  const size = { name: 'Size', sortOrder: 2, values: [small, large] };
  const colour = {
    name: 'Colour',
    sortOrder: 1,
    values: [{ name: 'Red' }, { name: 'Blue', skuSuffix: 'BL' }],
  };

  /** A shirt of two sizes at 10.00 and 12.50, the small one the default. */
  const shirt = async (sku: string, more: object = {}): Promise<Body> =>
    make('/products', { rootName: `Shirt ${sku}`, sku, price: 10, costOfGoods: 4, options: [size], ...more });

  it('are all combinations of the values in the order of the options, each with its price and stock', async () => {
    const stock = [{ warehouseId, stock: 7, reorderPoint: 2 }];
    const wanted = { rootName: 'Tee', sku: 'TEE', price: 10, costOfGoods: 4, hsCode: '6109', stock };
    const product = await make('/products', { ...wanted, options: [size, colour] });
    expect(skus(product)).to.deep.equal(['TEE-RED-S', 'TEE-RED-L', 'TEE-BL-S', 'TEE-BL-L']);
    const [first, ...others] = product.variants;
    expect(first).to.include({ name: 'Red - Small', default: true, url: '/tee', price: 10, costOfGoods: 4 });
    expect(others.some((variant: Variant) => variant['default'])).to.equal(false);
    const blue = variantOf(product, 'TEE-BL-L');
    const address = '/tee?variant=TEE-BL-L';
    expect(blue).to.include({
      name: 'Blue - Large',
      url: address,
      price: 12.5,
      costOfGoods: 5,
      hsCode: '6109',
    });
    expect(blue['selectedOptions']).to.deep.equal([
      { optionName: 'Colour', valueName: 'Blue' },
      { optionName: 'Size', valueName: 'Large' },
    ]);
    const ids = product.options.flatMap((option: Body) => option.values.map(({ id }: Body) => id));
    expect(blue['variantOptionsKey']).to.equal(`${ids[3]},${ids[1]}`);
    expect(blue['stock'][0]).to.include({ warehouseId, stock: 7, reorderPoint: 2, trackStock: true });
    await shop.settle();
    await seen('/products', product);
  });

  it('are as many as 2,000, and no more', async () => {
    const options = [named('A', 20), named('B', 20), named('C', 5)];
    const product = await make('/products', { rootName: 'Many', sku: 'MANY', price: 1, options });
    expect(product.variants).to.have.length(2000);
    const more = [named('A', 20), named('B', 20), named('C', 6)];
    const message = 'options: must make at most 2000 variants, not 2400';
    await refused({ rootName: 'More', sku: 'MORE', price: 1, options: more }, message);
    await when(manage.put(`/products/${product.id}`, { options: more }))
      .then(400)
      .and(problems(message))
      .and(noNewEvents());
  });

  it('come of no more options, and values of each, than the settings allow', async () => {
    const six = ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => named(name, 1));
    await refused(
      { rootName: 'Much', sku: 'MUCH', price: 1, options: six },
      'options: must be at most 5, not 6',
    );
    await refused(
      { rootName: 'Much', sku: 'MUCH', price: 1, options: [named('A', 1), named('B', 21)] },
      'options.1.values: must be at most 20, not 21',
    );
  });

  it('have skus of their own, and cost nothing at least', async () => {
    const off = [{ name: 'Off', values: [{ name: 'All', priceAdjustment: -11, costAdjustment: -1 }] }];
    await refused(
      { rootName: 'Less', sku: 'LESS', price: 10, options: off },
      'options: must be adjustments with which LESS-ALL costs 0 or more',
      'options: must be adjustments with which the cost of LESS-ALL is 0 or more',
      'options: must be add-ons with which a unit of LESS-ALL costs nothing or more',
    );
    const alike = [{ name: 'Size', values: [small, { name: 'Smaller', skuSuffix: 'S' }] }];
    await refused(
      { rootName: 'Alike', sku: 'ALIKE', price: 10, options: alike },
      'sku: each variant needs one of its own, ALIKE-S stands there twice',
    );
    await make('/products', { rootName: 'Taken', sku: 'TAKEN-L', price: 1 });
    await when(manage.post('/products', { rootName: 'Taker', sku: 'TAKEN', price: 1, options: [size] }))
      .then(409)
      .and(refusedFor('value-taken'))
      .and(noNewEvents());
  });

  it('become more with new values: at the price of the default, with its stock rows at 0', async () => {
    const product = await shirt('GROW', { stock: [{ warehouseId, stock: 5 }], hsCode: '6109' });
    const path = `/products/${product.id}`;
    await when(manage.put(`${path}/variants/${product.variants[0].id}`, { price: 11, default: true })).then(
      200,
    );
    const options = [{ ...size, values: [small, large, huge] }];
    const { body: grown } = await when(manage.put(path, { options }))
      .then(200)
      .and(events('ValueClaimed', 'ProductDetailsChanged', 'ProductVariantsGenerated', 'StockRowOpened'));
    expect(skus(grown)).to.deep.equal(['GROW-S', 'GROW-L', 'GROW-HUGE']);
    const fresh = variantOf(grown, 'GROW-HUGE');
    expect(fresh).to.include({ name: 'Huge', price: 15, costOfGoods: 4, hsCode: '6109', default: false });
    expect(fresh['stock']).to.have.length(1);
    expect(fresh['stock'][0]).to.include({ warehouseId, stock: 0, trackStock: true });
    await seen('/products', grown);
    await when(manage.put(path, { options })).then(200).and(noNewEvents());
    await when(manage.put(path, grown)).then(200).and(noNewEvents());
  });

  it('are other combinations with a new option, and a simple product again without any', async () => {
    const product = await shirt('TURN');
    const path = `/products/${product.id}`;
    const { body: both } = await when(manage.put(path, { options: [size, colour] })).then(200);
    expect(skus(both)).to.deep.equal(['TURN-RED-S', 'TURN-RED-L', 'TURN-BL-S', 'TURN-BL-L']);
    expect(variantOf(both, 'TURN-BL-L')).to.include({ price: 12.5 });
    const { body: simple } = await when(manage.put(path, { options: [] })).then(200);
    expect(skus(simple)).to.deep.equal(['TURN']);
    expect(simple.variants[0]).to.include({
      name: 'Shirt TURN',
      price: 10,
      default: true,
      url: '/shirt-turn',
    });
    const { body: again } = await when(manage.put(path, { options: [size] })).then(200);
    expect(skus(again)).to.deep.equal(['TURN-S', 'TURN-L']);
    // The skus of what has gone are free again.
    await make('/products', { rootName: 'Other', sku: 'TURN-BL-L', price: 1 });
  });

  it('vanish with their values, also when the whole product is sent back, and leave a default', async () => {
    const product = await shirt('LESS');
    const [option] = product.options;
    const options = [{ ...option, values: option.values.slice(1) }];
    const { body: left } = await when(manage.put(`/products/${product.id}`, { ...product, options }))
      .then(200)
      .and(
        events('ProductDetailsChanged', 'ProductVariantsRemoved', 'ProductVariantChanged', 'ClaimReleased'),
      );
    expect(skus(left)).to.deep.equal(['LESS-L']);
    expect(left.variants[0]).to.include({ default: true, price: 12.5 });
    await seen('/products', left);
  });

  it('stay, and the options with them, while units of one that would vanish are reserved', async () => {
    const product = await shirt('HELD', { stock: [{ warehouseId, stock: 5 }] });
    await shop.settle();
    await shop
      .given(...readyToPay(variantOf(product, 'HELD-L').id, 2))
      .when(pay())
      .then(200);
    await shop.settle();
    const path = `/products/${product.id}`;
    await when(manage.put(path, { options: [{ ...size, values: [small, huge] }] }))
      .then(409)
      .and(refusedFor('still-used'))
      .and(body(({ message }) => expect(message).to.include('reserved 2 of HELD-L')))
      .and(noNewEvents());
    await when(manage.put(path, { options: [{ ...size, values: [large] }] })).then(200);
  });

  it('are called what their values are called now, which are known by their ids', async () => {
    const product = await shirt('NAME');
    const [option] = product.options;
    const [first, ...others] = option.values;
    const options = [{ ...option, name: 'Fit', values: [{ ...first, name: 'Tiny' }, ...others] }];
    const { body: renamed } = await when(manage.put(`/products/${product.id}`, { ...product, options }))
      .then(200)
      .and(events('ProductDetailsChanged'));
    const tiny = renamed.variants[0];
    expect(tiny).to.include({ id: product.variants[0].id, sku: 'NAME-S', name: 'Tiny' });
    expect(tiny.selectedOptions).to.deep.equal([{ optionName: 'Fit', valueName: 'Tiny' }]);
    await seen('/products', renamed);
  });

  it('are left to a caller who names variants of new combinations', async () => {
    const product = await shirt('OWN');
    const red = { sku: 'OWN-RED', price: 3, selectedOptions: [{ optionName: 'Size', valueName: 'Huge' }] };
    const options = [{ ...size, values: [small, large, huge, { name: 'Vast' }] }];
    const change = manage.put(`/products/${product.id}`, { options, variants: [red] });
    const { body: changed } = await when(change).then(200);
    expect(skus(changed)).to.deep.equal(['OWN-S', 'OWN-L', 'OWN-RED']);
  });

  it('all get what is said beside the options, each with its adjustments', async () => {
    const product = await shirt('ALL');
    const path = `/products/${product.id}`;
    const { body: changed } = await when(
      manage.put(path, { price: 20, onSale: true, previousPrice: 30 }),
    ).then(200);
    expect(variantOf(changed, 'ALL-S')).to.include({ price: 20, onSale: true, previousPrice: 30 });
    expect(variantOf(changed, 'ALL-L')).to.include({ price: 22.5, costOfGoods: 5 });
  });

  it('are made once, however many ask for them at the same time', async () => {
    const product = await shirt('TWO', { stock: [{ warehouseId, stock: 5 }] });
    const options = [{ ...size, values: [small, large, huge] }];
    const change = () => shop.admin.ask(manage.put(`/products/${product.id}`, { options }));
    const answers = await Promise.all([change(), change(), change()]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    for (const { body: told } of answers) expect(skus(told)).to.deep.equal(['TWO-S', 'TWO-L', 'TWO-HUGE']);
  });
});
