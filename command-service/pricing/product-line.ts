import type { SellableVariant } from '#reference/reference.ts';

export const collectionsOf = (ids: readonly string[]): { readonly collectionIds?: string[] } =>
  ids.length > 0 ? { collectionIds: [...ids] } : {};

/** What the line of an order says of its product, beside what it costs; of no basket. */
export const productOf = ({ root, rootId, variant }: SellableVariant) => ({
  basketLineId: null,
  productId: variant.id,
  productRootId: rootId,
  sku: variant.sku,
  name: variant.name,
  productRootName: root.rootName,
  selectedOptions: variant.selectedOptions.map((option) => ({ ...option })),
  isDigital: root.isDigitalProduct,
  ...collectionsOf(root.collectionIds),
});
