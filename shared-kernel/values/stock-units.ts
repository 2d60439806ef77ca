/** What one warehouse holds of one product at most: sums over warehouses and baskets stay exact. */
export const MAX_UNITS = 1_000_000_000;

/** What a warehouse holds of a variant. */
export interface StockLevel {
  readonly stock: number;
  readonly reserved: number;
  readonly trackStock: boolean;
  readonly reorderPoint: number | null;
  readonly reorderQuantity: number | null;
}
