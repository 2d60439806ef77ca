import type { Reference } from './reference.ts';

/**
 * What is known of these products just now, and of their stock. Whatever changes is replaced: the same values, the same
 * goods.
 */
export const knownGoods = (
  { catalogue, stock }: Pick<Reference, 'catalogue' | 'stock'>,
  productIds: readonly string[],
): readonly unknown[] =>
  productIds.flatMap((productId) => [catalogue.variant(productId), stock.levels(productId)]);

/** Whether these are the very same values. */
export const areSame = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((one, index) => one === others[index]);
