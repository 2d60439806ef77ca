import type { ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import type { Reference } from '#reference/reference.ts';

const missing = (path: string, what: string): string => `${path}: an existing ${what} was expected`;

/**
 * What a product names that the shop does not have, as `path: what was expected`. `comingTypeId`: a product type that
 * is made if need be, before the product.
 */
export const unknownReferences = (
  { entities }: Pick<Reference, 'entities'>,
  root: ProductRoot,
  variants: readonly ProductVariant[],
  comingTypeId: string | null = null,
): readonly string[] => {
  const problems: string[] = [];
  const check = (isThere: boolean, path: string, what: string): void => {
    if (!isThere) problems.push(missing(path, what));
  };
  if (root.taxGroupId !== null) check(entities.has('taxGroup', root.taxGroupId), 'taxGroupId', 'tax group');
  const { productTypeId } = root;
  const hasType = productTypeId === comingTypeId || entities.has('productType', productTypeId);
  check(hasType, 'productTypeId', 'product type');
  root.collectionIds.forEach((id, index) => {
    check(entities.has('collection', id), `collectionIds.${index}`, 'collection');
  });
  root.warehouses.forEach(({ warehouseId }, index) => {
    check(entities.has('warehouse', warehouseId), `warehouses.${index}.warehouseId`, 'warehouse');
  });
  variants.forEach((variant, place) => {
    const path = `variants.${place}`;
    variant.stockRows.forEach(({ warehouseId }, index) => {
      check(entities.has('warehouse', warehouseId), `${path}.stock.${index}.warehouseId`, 'warehouse');
    });
    for (const field of ['allowedShippingOptionIds', 'excludedShippingOptionIds'] as const) {
      variant[field].forEach((id, index) => {
        check(entities.has('shippingOption', id), `${path}.${field}.${index}`, 'shipping option');
      });
    }
  });
  return problems;
};
