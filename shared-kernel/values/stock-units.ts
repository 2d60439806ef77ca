/** What one warehouse holds of one product at most: sums over warehouses and baskets stay exact. */
export const MAX_UNITS = 1_000_000_000;
