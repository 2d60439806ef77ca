import { expect } from 'chai';
import { mergeVariants } from '#command/contexts/catalogue/variants/merge-variants.ts';
import type { VariantPatch } from '#command/contexts/catalogue/product.commands.ts';
import { productDecider } from '#command/contexts/catalogue/product.decider.ts';
import { productEvents } from '#events/catalogue.events.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { productOnSale } from '#test/support/builders/product.ts';
import { given, inContext } from '#test/support/given.ts';

const { ProductCreated, ProductDeleted, ProductDetailsChanged, ProductVariantAdded, ProductVariantChanged } =
  productEvents.create;

const at = '2030-06-01T12:00:00.000Z';
const rulesWith = (reserved: number) =>
  inContext(productDecider, {
    at,
    unknown: () => [],
    reserved: () => reserved,
    limits: defaultStoreSettings,
  });
const rules = rulesWith(0);
const { root, variants } = productOnSale('mug', { price: 1000, taxGroupId: null, isTracked: true });
const created = ProductCreated({ root, variants, at });
const mug = given(rules, [created]);
const east = { warehouseId: idNamed('east'), trackStock: true };
const west = { warehouseId: idNamed('west'), trackStock: true };

const patch = (
  find: VariantPatch['find'],
  fields: VariantPatch['fields'],
  stockRows: VariantPatch['stockRows'] = [],
): VariantPatch => ({ find, newId: idNamed(fields.sku ?? 'new'), path: '', fields, stockRows });
const create = (root_: typeof root, ...variants_: readonly VariantPatch[]) =>
  ({ type: 'CreateProduct', root: root_, variants: variants_ }) as const;
const change = (root_: object, ...variants_: readonly VariantPatch[]) =>
  ({ type: 'ChangeProduct', root: root_, variants: variants_ }) as const;

const small = { sku: 'small', price: 800 };

describe('a product', () => {
  it('is created with its variants, the first as the default', () => {
    const { variants: merged } = mergeVariants(
      root,
      [],
      [patch('none', small), patch('none', { sku: 'b', price: 1 })],
    );
    expect(merged.map(({ sku, isDefault, name, url }) => [sku, isDefault, name, url])).to.deep.equal([
      ['small', true, 'mug', '/mug'],
      ['b', false, 'mug', '/mug?variant=b'],
    ]);
    given(rules)
      .when(create(root, patch('none', small)))
      .then([ProductCreated({ root, variants: [{ ...merged[0], id: idNamed('small') }] as never, at })]);
  });

  it('records only what changes', () => {
    mug.when(change({ pageTitle: null })).thenNothing();
    mug
      .when(change({ pageTitle: 'Mugs' }))
      .then([ProductDetailsChanged({ root: { ...root, pageTitle: 'Mugs' }, at, productName: 'mug' })]);
  });

  it('finds a variant by its SKU, adds stock rows to it and removes none', () => {
    const [variant = expect.fail('a mug has a variant')] = variants;
    const dearer = { ...variant, price: 1200, stockRows: [east, west] };
    mug
      .when(change({}, patch({ sku: 'mug' }, { price: 1200 }, [west])))
      .then([ProductVariantChanged({ variant: dearer, at, productName: 'mug' })]);
  });

  it('has one default variant: a new one replaces the old one', () => {
    mug
      .when(change({}, patch('none', { ...small, isDefault: true })))
      .thenLike([ProductVariantChanged.type], [ProductVariantAdded.type]);
  });

  it('refuses two variants with the same SKU, and a variant that it does not have', () => {
    mug.when(change({}, patch('none', { sku: 'mug', price: 1 }))).thenRefused('invalid-request');
    mug
      .when(change({}, patch({ id: idNamed('unknown') }, {})))
      .thenRefused('invalid-request', { errors: ['id: must be a variant of this product'] });
  });

  it('cannot be deleted while units are reserved', () => {
    mug.now(rulesWith(2)).when({ type: 'DeleteProduct' }).thenRefused('still-used');
    mug.when({ type: 'DeleteProduct' }).then([ProductDeleted({ productName: 'mug' })]);
    mug.when({ type: 'RemoveProductVariant', variantId: idNamed('mug') }).thenRefused('still-used');
  });

  it('finds the options of its variants by their values', () => {
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
    given(rules)
      .when(create(shirt, chosen('XXL')))
      .thenRefused('invalid-request');
  });
});
