import { derivedId } from '#kernel/ids.ts';

/** Names the stream of a variant's stock in a warehouse. */
export const stockId = (productId: string, warehouseId: string): string =>
  derivedId('stock', productId, warehouseId);
