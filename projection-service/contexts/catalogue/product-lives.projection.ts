import type { ProductEvent } from '#events/catalogue.events.ts';
import { projection, type Document } from '#kernel/projection.ts';
import { idOf, streamOf } from '#values/stream-name.ts';

/** From when to when a product was there, in positions of the log: it tells how many there were at any moment. */
export interface ProductLife extends Document {
  /** ISO instant. */
  readonly createdAt: string;
  readonly createdPosition: number;
  /** Null while it is there. */
  readonly deletedPosition: number | null;
}

/** Products by root id, those that were deleted too. */
export const productLivesProjection = projection<
  Extract<ProductEvent, { readonly type: 'ProductCreated' | 'ProductDeleted' }>
>()<ProductLife>({
  name: 'productLives',
  version: 1,
  indexes: [{ fields: ['createdPosition'] }, { fields: ['deletedPosition'] }, { fields: ['createdAt'] }],
  keys: (event) => [idOf(event.stream)],
  streamOf: streamOf.product,
  on: {
    ProductCreated: (_life, { position, data: { at } }, key) => ({
      _id: key,
      createdAt: at,
      createdPosition: position,
      deletedPosition: null,
    }),
    ProductDeleted: (life, { position }) => life && { ...life, deletedPosition: position },
  },
});
