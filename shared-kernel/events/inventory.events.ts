import { z } from 'zod';
import { defineEvents, type EventOf } from './define-events.ts';
import { count, guid, instant, quantity, text } from './fields.ts';

const row = { productId: guid, warehouseId: guid };
/** The row after the event. */
const levels = { stock: count, reserved: count };
/** When units moved that had been sold; earlier releases did not say. */
const moved = { movedAt: instant.exactOptional() };

/** Stock of one variant in one warehouse. Stream `stock-<UUIDv5 of variant and warehouse>`. */
export const inventoryEvents = defineEvents('inventory', {
  /** `reason`: why it holds units from the start; missing where it holds none, and in what older releases wrote. */
  StockRowOpened: {
    ...row,
    sku: text,
    stock: count,
    reason: text.exactOptional(),
    trackStock: z.boolean(),
    reorderPoint: count.nullable(),
    reorderQuantity: count.nullable(),
  },
  StockAdjusted: { ...row, sku: text, adjustedBy: z.int(), reason: text, ...levels },
  /** `product`: whose change this announces; left out where the request has announced one already. */
  ReorderPointChanged: {
    ...row,
    sku: text,
    reorderPoint: count.nullable(),
    ...levels,
    product: z.object({ id: guid, name: text }).optional(),
  },
  /** What staff say of a row, beside its units. `product` as of `ReorderPointChanged`. */
  StockRowChanged: {
    ...row,
    sku: text,
    trackStock: z.boolean(),
    reorderPoint: count.nullable(),
    reorderQuantity: count.nullable(),
    ...levels,
    product: z.object({ id: guid, name: text }).exactOptional(),
  },
  /** Nothing was reserved there, and its units are written off. It may be opened again. */
  StockRowRemoved: { ...row, sku: text, ...levels },
  /** The stock has come down to its reorder point, or without one to the shop's threshold; told once on the way. */
  StockRanLow: { ...row, sku: text, threshold: count, ...levels },
  /** The last units of a product's default variant are gone while a sibling is on sale. */
  DefaultVariantSoldOut: { ...row, rootId: guid, ...levels },
  /** The sibling is the default now, unless staff had chosen otherwise. */
  DefaultVariantPassedOn: { ...row, rootId: guid, ...levels },
  /** `quantity` is what this basket holds now in all, `change` what this added (negative when trimmed). */
  StockReserved: {
    ...row,
    sku: text,
    basketId: guid,
    placementId: guid,
    turn: count.optional(),
    quantity,
    change: z.int(),
    ...levels,
  },
  /**
   * `quantity` is what was given back: the basket holds nothing there afterwards. 0: a placement that was taken over
   * has failed, and nothing of it may be reserved any more.
   */
  StockReleased: {
    ...row,
    sku: text,
    basketId: guid,
    placementId: guid,
    turn: count.optional(),
    quantity: count,
    ...levels,
  },
  /**
   * Units have left with a shipment: `held` of them were reserved for the basket, whose reservation shrinks by as
   * many.
   */
  StockAllocated: {
    ...row,
    sku: text,
    basketId: guid,
    placementId: guid,
    shipmentId: guid,
    quantity: count,
    held: count,
    ...levels,
    ...moved,
  },
  /** A shipment was undone: its units are back. `isOwed`: they are reserved for the basket again. */
  AllocationReversed: {
    ...row,
    sku: text,
    basketId: guid,
    placementId: guid,
    shipmentId: guid,
    quantity: count,
    isOwed: z.boolean(),
    ...levels,
    ...moved,
  },
  /** The basket's reservation shrinks by as many; the rest stays. */
  ReservationReduced: {
    ...row,
    sku: text,
    basketId: guid,
    placementId: guid,
    moveId: text,
    quantity: count,
    ...levels,
    ...moved,
  },
  /**
   * An invoice was edited: `taken` units that the edit had reserved are the basket's now, `released` are given back,
   * `destroyed` are neither reserved nor owed any more, and leave the stock. The basket holds `quantity` afterwards.
   */
  ReservationEdited: {
    ...row,
    sku: text,
    basketId: guid,
    placementId: guid,
    editId: guid,
    taken: count,
    released: count,
    destroyed: count,
    quantity: count,
    ...levels,
    ...moved,
  },
});
export type InventoryEvent = EventOf<typeof inventoryEvents>;
