import type { ProductEvent, ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import type { EventOfType } from '#kernel/event.ts';

/** A product as its events tell it. */
export interface ProductParts {
  readonly root: ProductRoot;
  readonly variants: readonly ProductVariant[];
}

type Change = Exclude<ProductEvent['type'], 'ProductCreated' | 'ProductDeleted'>;

/** What the changes of a product say, by type of event. */
export type ProductChanges = { readonly [Type in Change]: EventOfType<ProductEvent, Type>['data'] };

/** What each change makes of a product that is there. */
export const productAfter: {
  readonly [Type in Change]: (product: ProductParts, data: ProductChanges[Type]) => ProductParts;
} = {
  ProductDetailsChanged: ({ variants }, { root }) => ({ root, variants }),
  ProductVariantAdded: ({ root, variants }, { variant }) => ({ root, variants: [...variants, variant] }),
  ProductVariantChanged: ({ root, variants }, { variant }) => ({
    root,
    variants: variants.map((known) => (known.id === variant.id ? variant : known)),
  }),
  ProductVariantRemoved: ({ root, variants }, { variantId }) => ({
    root,
    variants: variants.filter(({ id }) => id !== variantId),
  }),
};

/** Where a product names a managed thing; `place`: that of the variant, null for the root. */
type Visit = (category: string, id: string, place: number | null, field: string, index?: number) => void;

/** Every managed thing that a product names. */
export const visitReferences = ({ root, variants }: ProductParts, visit: Visit): void => {
  if (root.taxGroupId !== null) visit('taxGroup', root.taxGroupId, null, 'taxGroupId');
  visit('productType', root.productTypeId, null, 'productTypeId');
  root.collectionIds.forEach((id, index) => visit('collection', id, null, 'collectionIds', index));
  root.warehouses.forEach(({ warehouseId }, index) =>
    visit('warehouse', warehouseId, null, 'warehouses', index),
  );
  variants.forEach((variant, place) => {
    variant.stockRows.forEach(({ warehouseId }, index) =>
      visit('warehouse', warehouseId, place, 'stock', index),
    );
    for (const field of ['allowedShippingOptionIds', 'excludedShippingOptionIds'] as const)
      variant[field].forEach((id, index) => visit('shippingOption', id, place, field, index));
  });
};
