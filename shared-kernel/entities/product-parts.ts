import type {
  GeneratedVariants,
  ProductEvent,
  ProductRoot,
  ProductVariant,
} from '#events/catalogue.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import { choicesAt, choicesOf, keyOf, nameOf, selectionOf, variantOptions } from './product-options.ts';

/** A product as its events tell it; `Root` where less of it is kept. */
export interface ProductParts<Root = ProductRoot> {
  readonly root: Root;
  readonly variants: readonly ProductVariant[];
}

/** What the variants of a product are named and found by. */
type NamedRoot = Pick<ProductRoot, 'rootName' | 'rootUrl' | 'options'>;

type Change = Exclude<ProductEvent['type'], 'ProductCreated' | 'ProductDeleted'>;

/** What the changes of a product say, by type of event. */
export type ProductChanges = { readonly [Type in Change]: EventOfType<ProductEvent, Type>['data'] };

/** The address of a variant: that of its product leads to the default. */
export const variantUrl = (
  { rootUrl }: NamedRoot,
  { sku, isDefault }: Pick<ProductVariant, 'sku' | 'isDefault'>,
): string => (isDefault ? `/${rootUrl}` : `/${rootUrl}?variant=${encodeURIComponent(sku)}`);

/** Options and values are known by their ids: what a variant has chosen is called what it is called now. */
const renamed = (before: NamedRoot, root: NamedRoot, selection: ProductVariant['selectedOptions']) => {
  const options = variantOptions(root);
  const known = choicesOf(before, selection);
  return selection.map((chosen) => {
    const choice = known.find(({ option }) => option.name === chosen.optionName);
    const option = options.find(({ id }) => id === choice?.option.id);
    const value = option?.values.find(({ id }) => id === choice?.value.id);
    return option && value ? { optionName: option.name, valueName: value.name } : chosen;
  });
};

/** The variants of a product under a new root: their addresses, and the names of what they have chosen, go with it. */
export const underRoot = (
  { root: before, variants }: ProductParts<NamedRoot>,
  root: NamedRoot,
): ProductVariant[] =>
  variants.map((variant) => {
    const selectedOptions = renamed(before, root, variant.selectedOptions);
    const hasOwnName = variant.name !== nameOf(variant.selectedOptions) || selectedOptions.length === 0;
    return {
      ...variant,
      name: hasOwnName ? variant.name : nameOf(selectedOptions),
      selectedOptions,
      variantOptionsKey: keyOf(choicesOf(root, selectedOptions)),
      url: variantUrl(root, variant),
    };
  });

/** Generated variants in full; none of them is the default. */
export const expand = (
  root: NamedRoot,
  { common, combinations }: GeneratedVariants,
): readonly ProductVariant[] =>
  combinations.map(({ values, ...own }) => {
    const choices = choicesAt(root, values);
    const selectedOptions = selectionOf(choices);
    return {
      ...common,
      ...own,
      name: nameOf(selectedOptions) || root.rootName,
      isDefault: false,
      selectedOptions,
      variantOptionsKey: keyOf(choices),
      url: variantUrl(root, { sku: own.sku, isDefault: false }),
    };
  });

/** One variant is the default, and no other. */
export const withDefaultId = (
  root: NamedRoot,
  variants: readonly ProductVariant[],
  defaultId: string | undefined,
): readonly ProductVariant[] =>
  variants.map((variant) => {
    const isDefault = variant.id === defaultId;
    return variant.isDefault === isDefault
      ? variant
      : { ...variant, isDefault, url: variantUrl(root, { ...variant, isDefault }) };
  });

/** What each change makes of a product that is there. */
export const productAfter: {
  readonly [Type in Change]: <Root extends NamedRoot>(
    product: ProductParts<Root>,
    data: ProductChanges[Type],
  ) => ProductParts<Root | ProductRoot>;
} = {
  ProductDetailsChanged: (product, { root }) => ({ root, variants: underRoot(product, root) }),
  ProductVariantAdded: ({ root, variants }, { variant }) => ({ root, variants: [...variants, variant] }),
  ProductVariantChanged: ({ root, variants }, { variant }) => ({
    root,
    variants: variants.map((known) => (known.id === variant.id ? variant : known)),
  }),
  ProductVariantRemoved: ({ root, variants }, { variantId }) => ({
    root,
    variants: variants.filter(({ id }) => id !== variantId),
  }),
  ProductVariantsGenerated: ({ root, variants }, { defaultId, ...generated }) => {
    const all = [...variants, ...expand(root, generated)];
    return { root, variants: defaultId === null ? all : withDefaultId(root, all, defaultId) };
  },
  ProductVariantsRemoved: ({ root, variants }, { variants: removed }) => {
    const gone = new Set(removed.map(({ variantId }) => variantId));
    return { root, variants: variants.filter(({ id }) => !gone.has(id)) };
  },
};

/** Where a product names a resource; `place`: that of the variant, null for the root. */
type Visit = (category: string, id: string, place: number | null, field: string, index?: number) => void;

/** The fields of a root that name resources. */
type NamingField = 'taxGroupId' | 'productTypeId' | 'collectionIds' | 'warehouses';

/** Every resource that a product names. */
export const visitReferences = (
  { root, variants }: ProductParts<Pick<ProductRoot, NamingField>>,
  visit: Visit,
): void => {
  if (root.taxGroupId !== null) visit('taxGroup', root.taxGroupId, null, 'taxGroupId');
  visit('productType', root.productTypeId, null, 'productTypeId');
  root.collectionIds.forEach((id, index) => visit('collection', id, null, 'collectionIds', index));
  root.warehouses.forEach(({ warehouseId }, index) =>
    visit('warehouse', warehouseId, null, 'warehouses', index),
  );
  variants.forEach((variant, place) => {
    variant.filterIds.forEach((id, index) => visit('filter', id, place, 'filterIds', index));
    variant.stockRows.forEach(({ warehouseId }, index) =>
      visit('warehouse', warehouseId, place, 'stock', index),
    );
    for (const field of ['allowedShippingOptionIds', 'excludedShippingOptionIds'] as const)
      variant[field].forEach((id, index) => visit('shippingOption', id, place, field, index));
  });
};
