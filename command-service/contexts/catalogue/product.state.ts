import type { ProductEvent, ProductRoot, ProductVariant } from '#events/catalogue.events.ts';

export interface KnownProduct {
  readonly status: 'present';
  readonly root: ProductRoot;
  readonly variants: readonly ProductVariant[];
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

export type ProductState = { readonly status: 'absent' } | KnownProduct | { readonly status: 'deleted' };

const afterChange = (
  product: KnownProduct,
  event: Exclude<ProductEvent, { type: 'ProductCreated' | 'ProductDeleted' }>,
): KnownProduct => {
  const changed = { ...product, dateUpdated: event.data.at };
  switch (event.type) {
    case 'ProductDetailsChanged':
      return { ...changed, root: event.data.root };
    case 'ProductVariantAdded':
      return { ...changed, variants: [...product.variants, event.data.variant] };
    case 'ProductVariantChanged': {
      const { variant } = event.data;
      return { ...changed, variants: product.variants.map((old) => (old.id === variant.id ? variant : old)) };
    }
    case 'ProductVariantRemoved':
      return { ...changed, variants: product.variants.filter(({ id }) => id !== event.data.variantId) };
    default:
      return product;
  }
};

export const evolveProduct = (state: ProductState, event: ProductEvent): ProductState => {
  if (event.type === 'ProductDeleted') return { status: 'deleted' };
  if (event.type === 'ProductCreated') {
    const { root, variants, at } = event.data;
    return { status: 'present', root, variants, dateCreated: at, dateUpdated: at };
  }
  return state.status === 'present' ? afterChange(state, event) : state;
};
