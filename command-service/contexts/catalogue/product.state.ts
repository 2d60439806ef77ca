import { productAfter, type ProductChanges, type ProductParts } from '#entities/product-parts.ts';
import type { ProductEvent } from '#events/catalogue.events.ts';
import { onCreationAbandoned, type CreationAbandoned, type NotThere } from '#kernel/creation.ts';
import type { Evolution } from '#kernel/evolution.ts';

export interface KnownProduct extends ProductParts {
  readonly status: 'present';
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

export type ProductState = NotThere | KnownProduct;

/** A change of a product that is there; nothing happens to any other. */
const changed =
  <Type extends keyof ProductChanges>(type: Type) =>
  (state: ProductState, { data }: { readonly data: ProductChanges[Type] }): ProductState =>
    state.status === 'present'
      ? { ...state, ...productAfter[type](state, data), dateUpdated: data.at }
      : state;

export const onProductEvents: Evolution<ProductState, ProductEvent | CreationAbandoned> = {
  ProductCreated: (_, { data: { root, variants, at } }) => ({
    status: 'present',
    root,
    variants,
    dateCreated: at,
    dateUpdated: at,
  }),
  ProductDetailsChanged: changed('ProductDetailsChanged'),
  ProductVariantAdded: changed('ProductVariantAdded'),
  ProductVariantChanged: changed('ProductVariantChanged'),
  ProductVariantRemoved: changed('ProductVariantRemoved'),
  ProductVariantsGenerated: changed('ProductVariantsGenerated'),
  ProductVariantsRemoved: changed('ProductVariantsRemoved'),
  ProductDeleted: () => ({ status: 'deleted' }),
  CreationAbandoned: onCreationAbandoned,
};
