import type { ProductListQuery, ProductRow } from '#contracts/product-list.contract.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import { defined } from '#kernel/defined.ts';
import type { Filter } from '#ports/document-store.ts';
import { toDecimal } from '#values/money.ts';
import { searchFilter } from '../../engine/entity-routes.ts';
import { anyWarehouse, type ProductDocument } from './product-list.projection.ts';
import type { StockRow } from './stock-levels.projection.ts';

/** Products that one of these warehouses may send. */
export const sentFrom = (warehouseIds: readonly string[]): Filter => ({
  warehouseIds: { has: warehouseIds.length === 0 ? [] : [...warehouseIds, anyWarehouse] },
});

/** `warehousesOf`: those of a supplier. */
export const productFilter = (
  { search, productTypeId, collectionId, sku, filterId, supplierId, tag, kind }: ProductListQuery,
  warehousesOf: (supplierId: string) => readonly string[],
): Filter => ({
  ...searchFilter(search),
  ...(filterId !== undefined && { filterIds: { has: filterId } }),
  ...(supplierId !== undefined && sentFrom(warehousesOf(supplierId))),
  ...(tag !== undefined && { tags: { has: tag.toLowerCase() } }),
  ...(kind !== undefined && { 'fields.isDigitalProduct': kind === 'digital' }),
  ...defined({ 'fields.productTypeId': productTypeId }),
  ...(collectionId !== undefined && { 'fields.collectionIds': { has: collectionId } }),
  ...(sku !== undefined && { skus: { has: sku.toLowerCase() } }),
});

/** A stock row; undefined while it has not been opened. */
export type RowOf = (productId: string, warehouseId: string) => StockRow | undefined;

/** What can be sold of a variant from all its warehouses; null where it sells without limit. */
const availableOf = ({ id, stockRows }: ProductVariant, rowOf: RowOf): number | null => {
  if (stockRows.length === 0 || stockRows.some(({ trackStock }) => !trackStock)) return null;
  let available = 0;
  for (const { warehouseId } of stockRows) {
    const row = rowOf(id, warehouseId);
    if (row) available += Math.max(0, row.stock - row.reserved);
  }
  return available;
};

/** The tracked variants together; null when none is. */
const sumOfTracked = (available: readonly (number | null)[]): number | null => {
  const tracked = available.filter((count) => count !== null);
  return tracked.length === 0 ? null : tracked.reduce((sum, count) => sum + count, 0);
};

export const productRow = (
  { _id, fields, variants, priceFrom, priceTo, dateCreated, dateUpdated }: ProductDocument,
  productTypeName: string | null,
  currency: string,
  rowOf: RowOf,
): ProductRow => {
  const rows = variants.map((variant) => ({
    id: variant.id,
    name: variant.name,
    sku: variant.sku,
    price: toDecimal(variant.price, currency),
    availableForPurchase: variant.availableForPurchase,
    availableStock: availableOf(variant, rowOf),
  }));
  return {
    id: _id,
    rootName: fields.rootName,
    rootUrl: fields.rootUrl,
    productTypeId: fields.productTypeId,
    productTypeName,
    collectionIds: fields.collectionIds,
    tags: fields.tags,
    isDigitalProduct: fields.isDigitalProduct,
    variantCount: variants.length,
    priceFrom: toDecimal(priceFrom, currency),
    priceTo: toDecimal(priceTo, currency),
    availableStock: sumOfTracked(rows.map(({ availableStock }) => availableStock)),
    images: fields.images.slice(0, 1),
    variants: rows,
    dateCreated,
    dateUpdated,
  };
};
