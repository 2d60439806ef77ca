import type { ProductEvent, ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import type { Evolution } from '#kernel/evolution.ts';

export interface KnownProduct {
  readonly status: 'present';
  readonly root: ProductRoot;
  readonly variants: readonly ProductVariant[];
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

export type ProductState = { readonly status: 'absent' } | KnownProduct | { readonly status: 'deleted' };

/** A change of a product that is there; nothing happens to any other. */
const changed =
  <Event extends Exclude<ProductEvent, { type: 'ProductCreated' | 'ProductDeleted' }>>(
    change: (product: KnownProduct, data: Event['data']) => Partial<KnownProduct>,
  ) =>
  (state: ProductState, { data }: Event): ProductState =>
    state.status === 'present' ? { ...state, ...change(state, data), dateUpdated: data.at } : state;

export const onProductEvents: Evolution<ProductState, ProductEvent> = {
  ProductCreated: (_, { data: { root, variants, at } }) => ({
    status: 'present',
    root,
    variants,
    dateCreated: at,
    dateUpdated: at,
  }),
  ProductDetailsChanged: changed((_, { root }) => ({ root })),
  ProductVariantAdded: changed(({ variants }, { variant }) => ({ variants: [...variants, variant] })),
  ProductVariantChanged: changed(({ variants }, { variant }) => ({
    variants: variants.map((old) => (old.id === variant.id ? variant : old)),
  })),
  ProductVariantRemoved: changed(({ variants }, { variantId }) => ({
    variants: variants.filter(({ id }) => id !== variantId),
  })),
  ProductDeleted: () => ({ status: 'deleted' }),
};
