import { expect } from 'chai';
import { mergeVariants } from '#command/contexts/catalogue/variants/merge-variants.ts';
import type { VariantPatch } from '#command/contexts/catalogue/product.commands.ts';
import { productDecider } from '#command/contexts/catalogue/product.decider.ts';
import { productEvents } from '#events/catalogue.events.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { productOnSale } from '#test/support/builders/product.ts';
import { given } from '#test/support/given.ts';

const { ProductCreated, ProductDeleted, ProductDetailsChanged, ProductVariantAdded, ProductVariantChanged } =
  productEvents.create;

const at = '2030-06-01T12:00:00.000Z';
const context = { at, unknown: () => [], reserved: () => 0, limits: defaultStoreSettings };
const { root, variants } = productOnSale('mug', { price: 1000, taxGroupId: null, isTracked: true });
const created = ProductCreated({ root, variants, at });
const east = { warehouseId: idNamed('east'), trackStock: true };
const west = { warehouseId: idNamed('west'), trackStock: true };

const patch = (
  find: VariantPatch['find'],
  fields: VariantPatch['fields'],
  stockRows: VariantPatch['stockRows'] = [],
): VariantPatch => ({ find, newId: idNamed(fields.sku ?? 'new'), path: '', fields, stockRows });

const small = { sku: 'small', price: 800 };

describe('a product', () => {
  it('is created with its variants, the first one the default', () => {
    const { variants: merged } = mergeVariants(
      root,
      [],
      [patch('none', small), patch('none', { sku: 'b', price: 1 })],
    );
    expect(merged.map(({ sku, isDefault, name, url }) => [sku, isDefault, name, url])).to.deep.equal([
      ['small', true, 'mug', '/mug'],
      ['b', false, 'mug', '/mug?variant=b'],
    ]);
    given(productDecider)
      .when({ type: 'CreateProduct', root, variants: [patch('none', small)] }, context)
      .then([ProductCreated({ root, variants: [{ ...merged[0], id: idNamed('small') }] as never, at })]);
  });

  it('changes only what is different', () => {
    given(productDecider, [created])
      .when({ type: 'ChangeProduct', root: { pageTitle: null }, variants: [] }, context)
      .thenNothing();
    given(productDecider, [created])
      .when({ type: 'ChangeProduct', root: { pageTitle: 'Mugs' }, variants: [] }, context)
      .then([ProductDetailsChanged({ root: { ...root, pageTitle: 'Mugs' }, at, productName: 'mug' })]);
  });

  it('finds a variant by its sku, adds stock rows to it and removes none', () => {
    const [mug] = variants;
    if (!mug) throw new Error('a mug has a variant');
    given(productDecider, [created])
      .when(
        { type: 'ChangeProduct', root: {}, variants: [patch({ sku: 'mug' }, { price: 1200 }, [west])] },
        context,
      )
      .then([
        ProductVariantChanged({
          variant: { ...mug, price: 1200, stockRows: [east, west] },
          at,
          productName: 'mug',
        }),
      ]);
  });

  it('has one default: a new one takes the place of the old', () => {
    const events = given(productDecider, [created])
      .when(
        { type: 'ChangeProduct', root: {}, variants: [patch('none', { ...small, isDefault: true })] },
        context,
      )
      .events();
    expect(events.map(({ type }) => type)).to.deep.equal([
      ProductVariantChanged.type,
      ProductVariantAdded.type,
    ]);
  });

  it('refuses two variants of one sku, and a variant that it does not have', () => {
    given(productDecider, [created])
      .when({ type: 'ChangeProduct', root: {}, variants: [patch('none', { sku: 'mug', price: 1 })] }, context)
      .thenRefused('invalid-request');
    given(productDecider, [created])
      .when({ type: 'ChangeProduct', root: {}, variants: [patch({ id: idNamed('nobody') }, {})] }, context)
      .thenRefused('invalid-request', { errors: ['id: a variant of this product was expected'] });
  });

  it('stays while something of it is reserved', () => {
    const reserving = { ...context, reserved: () => 2 };
    given(productDecider, [created]).when({ type: 'DeleteProduct' }, reserving).thenRefused('still-used');
    given(productDecider, [created])
      .when({ type: 'DeleteProduct' }, context)
      .then([ProductDeleted({ productName: 'mug' })]);
    given(productDecider, [created])
      .when({ type: 'RemoveProductVariant', variantId: idNamed('mug') }, context)
      .thenRefused('still-used');
  });

  it('knows the options of its variants by their values', () => {
    const value = (name: string) => ({
      id: idNamed(name),
      name,
      fullName: name,
      sortOrder: 0,
      hexValue: null,
      mediaKey: null,
      priceAdjustment: 0,
      costAdjustment: 0,
      skuSuffix: null,
      weightKg: null,
    });
    const size = {
      id: idNamed('size'),
      name: 'Size',
      alias: 'size',
      sortOrder: 0,
      optionTypeAlias: null,
      optionUiAlias: null,
      isVariant: true,
      isMultiSelect: true,
      isRequired: false,
      values: [value('S'), value('L')],
    };
    const shirt = { ...root, options: [size] };
    const chosen = (valueName: string) =>
      patch('none', { ...small, selectedOptions: [{ optionName: 'Size', valueName }] });
    const [large] = mergeVariants(shirt, [], [chosen('L')]).variants;
    expect(large).to.include({ name: 'L', variantOptionsKey: idNamed('L') });
    given(productDecider)
      .when({ type: 'CreateProduct', root: shirt, variants: [chosen('XXL')] }, context)
      .thenRefused('invalid-request');
  });
});
