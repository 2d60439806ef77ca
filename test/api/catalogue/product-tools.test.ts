import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { body, events, exactly, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const nobody = '00000000-0000-4000-8000-000000000000';
const problems = (...errors: readonly string[]) =>
  body((found) => expect(found.errors).to.deep.equal(errors));

describe('the shipping options by which variants are not sent', () => {
  let shop: TestShop;
  let courier: string;
  let product: { id: string; variants: { id: string }[] };
  before(async () => {
    shop = await TestShop.open();
    const { id: warehouseId } = await make('/warehouses', { name: 'E', address: { countryCode: 'GB' } });
    ({ id: courier } = await make('/shipping-options', { name: 'Courier', warehouseId, fixedCost: 5 }));
    product = await make('/products', {
      rootName: 'Vase',
      variants: [
        {
          sku: 'VASE-S',
          price: 1,
          shippingRestrictionMode: 'AllowList',
          allowedShippingOptionIds: [courier],
        },
        { sku: 'VASE-L', price: 2 },
      ],
    });
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);
  const path = () => `/products/${product.id}/shipping-exclusions`;
  const row = (place: number, sku: string, mode: string, excluded: readonly string[]) => ({
    variantId: product.variants[place]?.id,
    sku,
    name: 'Vase',
    shippingRestrictionMode: mode,
    allowedShippingOptionIds: place === 0 ? [courier] : [],
    excludedShippingOptionIds: excluded,
  });
  const items = (...wanted: readonly object[]) => body((found) => expect(found.items).to.deep.equal(wanted));

  it('are said of some variants, then of all, and taken back with none', async () => {
    const large = product.variants[1]?.id;
    const { body: told } = await when(
      manage.put(path(), { excludedShippingOptionIds: [courier], variantIds: [large, large] }),
    )
      .then(200)
      .and(items(row(0, 'VASE-S', 'AllowList', []), row(1, 'VASE-L', 'ExcludeList', [courier])))
      .and(events('ProductVariantChanged'));
    await when(manage.get(path())).then(200).and(exactly(told));
    await when(manage.put(path(), { excludedShippingOptionIds: [courier] }))
      .then(200)
      .and(items(row(0, 'VASE-S', 'ExcludeList', [courier]), row(1, 'VASE-L', 'ExcludeList', [courier])));
    await when(manage.put(path(), { excludedShippingOptionIds: [] }))
      .then(200)
      .and(items(row(0, 'VASE-S', 'None', []), row(1, 'VASE-L', 'None', [])));
    await when(manage.put(path(), { excludedShippingOptionIds: [] }))
      .then(200)
      .and(noNewEvents());
  });

  for (const [what, asked, ...errors] of [
    [
      'an unknown option',
      { excludedShippingOptionIds: [nobody] },
      'excludedShippingOptionIds.0: must be an existing shipping option',
    ],
    [
      'a variant of another product',
      { excludedShippingOptionIds: [], variantIds: [nobody] },
      'variantIds.0: must be a variant of this product',
    ],
    ['no list', {}, 'excludedShippingOptionIds: must be a list'],
    ['no variants', { excludedShippingOptionIds: [], variantIds: [] }, 'variantIds: must not be empty'],
    [
      'an id that is none',
      { excludedShippingOptionIds: ['courier'] },
      'excludedShippingOptionIds.0: must be a GUID',
    ],
  ] as const) {
    it(`are refused with ${what}`, async () => {
      await when(manage.put(path(), asked))
        .then(400)
        .and(problems(...errors))
        .and(noNewEvents());
    });
  }

  it('are not there for an unknown product', async () => {
    const unknown = `/products/${nobody}/shipping-exclusions`;
    await when(manage.get(unknown)).then(404);
    await when(manage.put(unknown, { excludedShippingOptionIds: [] }))
      .then(404)
      .and(noNewEvents());
  });
});

describe('the price of a variant with add-ons', () => {
  let shop: TestShop;
  let product: ApiResponse['body'];
  let path: string;
  before(async () => {
    shop = await TestShop.open();
    const value = (name: string, priceAdjustment: number) => ({ name, priceAdjustment, costAdjustment: 0.5 });
    product = await make('/products', {
      rootName: 'Mug',
      sku: 'MUG',
      price: 10,
      costOfGoods: 4,
      options: [
        {
          name: 'Wrap',
          isVariant: false,
          isRequired: true,
          isMultiSelect: false,
          values: [value('Gold', 2.5), value('Plain', 0)],
        },
        {
          name: 'Chipped',
          isVariant: false,
          values: [{ ...value('Yes', -3), skuSuffix: 'B', weightKg: 0.1 }],
        },
      ],
    });
    path = `/products/${product.id}/variants/${product.variants[0].id}/preview-addons`;
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);
  const choice = (option: number, value: number) => ({
    optionId: product.options[option].id,
    valueId: product.options[option].values[value].id,
  });

  it('is that of the unit with what its values add and take off; nothing is kept', async () => {
    const addons = [choice(1, 0), choice(0, 0), choice(0, 0)];
    const { body: told } = await when(manage.post(path, { addons }))
      .then(200, { variantId: product.variants[0].id, sku: 'MUG', basePrice: 10, price: 9.5, costOfGoods: 5 })
      .and(noNewEvents());
    expect(told.addons.map(({ name }: { name: string }) => name)).to.deep.equal([
      'Wrap: Gold',
      'Chipped: Yes',
    ]);
    expect(told.addons[1]).to.deep.equal({
      ...choice(1, 0),
      name: 'Chipped: Yes',
      sku: 'MUG-B',
      priceAdjustment: -3,
      costAdjustment: 0.5,
      weightKg: 0.1,
    });
  });

  it('is asked with choices that a basket would take', async () => {
    const refused = (addons: unknown, message: RegExp) =>
      when(manage.post(path, { addons }))
        .then(400)
        .and(refusedFor('add-on-invalid'))
        .and(body((found) => expect(found.message).to.match(message)));
    await refused([], /^addons: Mug needs a choice of Wrap\./);
    await refused([choice(0, 0), choice(0, 1)], /^addons: Wrap takes one value only\./);
    await refused([{ ...choice(0, 0), valueId: nobody }], /^addons: Wrap has no value/);
    await when(manage.post(path, { addons: [{ optionId: nobody }] }))
      .then(400)
      .and(problems('addons.0.valueId: must be a GUID'));
    await when(manage.post(`/products/${product.id}/variants/${nobody}/preview-addons`)).then(404);
  });
});
