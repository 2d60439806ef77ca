import type { EntityRules } from '#command/engine/entity-rules.ts';
import { warehouse } from '#entities/warehouse.entity.ts';
import type { Reference } from '#reference/reference.ts';
import type { StockedIn } from './stock.commands.ts';

/** A stock row of a warehouse, as reference state knows it. */
interface WarehouseRow extends StockedIn {
  readonly productName: string;
  readonly stock: number;
  /** Its variant has no other: without it, it would sell without limit. */
  readonly isOnly: boolean;
}

type Sources = Pick<Reference, 'catalogue' | 'stock' | 'entities'>;

const rowsAt = ({ catalogue, stock }: Sources, warehouseId: string): readonly WarehouseRow[] =>
  catalogue.productsThatUse('stock', warehouseId).flatMap((rootId) => {
    const product = catalogue.product(rootId);
    if (!product) return [];
    return product.variants
      .filter(({ stockRows }) => stockRows.some((row) => row.warehouseId === warehouseId))
      .map(({ id: variantId, stockRows }) => ({
        rootId,
        variantId,
        warehouseId,
        productName: product.root.rootName,
        stock: stock.level(variantId, warehouseId)?.stock ?? 0,
        isOnly: stockRows.length === 1,
      }));
  });

/** The rows that go with their warehouse; none where one has units, or something else needs the warehouse. */
export const rowsToTakeAway = (reference: Sources, warehouseId: string): readonly StockedIn[] => {
  const { catalogue, entities } = reference;
  const users = [
    ...entities.users(warehouse.category, warehouseId),
    ...catalogue.productsThatUse(warehouse.category, warehouseId),
  ];
  const rows = rowsAt(reference, warehouseId);
  if (users.length > 0 || rows.some(({ stock }) => stock > 0)) return [];
  return rows.filter(({ isOnly }) => !isOnly);
};

const NAMED = 3;

/** Rows without units keep no warehouse (docs/rules/inventory.md#stock-rows). */
export const warehouseRules: EntityRules<object> = {
  dependents: (id, { reference }) => {
    const stocked = new Set(
      rowsAt(reference, id).flatMap(({ stock, productName }) => (stock > 0 ? [productName] : [])),
    );
    const others = stocked.size - NAMED;
    const named = [...stocked].slice(0, NAMED).map((name) => `the product ${name}`);
    return [...named, ...(others > 0 ? [`${others} other product(s)`] : [])];
  },
  clearAway: (id, { apis }, meta) => apis.inventory.clearWarehouse(id, meta),
};
