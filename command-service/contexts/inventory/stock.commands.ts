import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { Holder } from '#values/basket-hold.ts';

/** A variant of a product, and a warehouse. */
export interface StockedIn {
  /** Of the product. */
  readonly rootId: string;
  readonly variantId: string;
  readonly warehouseId: string;
}

/** What is said of a row: a variant in a warehouse. What is left out is as it was, or as a new row has it. */
export interface StockRowSaid {
  /** Counts only where the row is new; default 0. */
  readonly stock?: number | undefined;
  /** Default true. */
  readonly trackStock?: boolean | undefined;
  readonly reorderPoint?: number | null | undefined;
  readonly reorderQuantity?: number | null | undefined;
}

/** Opens a row where there is none, else changes its settings; its units stay as they are. */
export interface SaveStockRow extends StockRowSaid {
  readonly type: 'SaveStockRow';
  readonly productId: string;
  readonly warehouseId: string;
  readonly sku: string;
  /** Whose change it is; left out where it has been announced already. */
  readonly product?: ChangedProduct;
  /** Why a new row holds units. */
  readonly reason?: string;
}

/** A product whose change is announced. */
export interface ChangedProduct {
  readonly id: string;
  readonly name: string;
}

/** Takes a row away, and writes off what is there. */
export interface RemoveStockRow {
  readonly type: 'RemoveStockRow';
  /** Refused with `still-used` where there are units. */
  readonly isEmpty?: true;
}

/**
 * Sets a row to a number, by a difference, or so that this many can be sold beside what is reserved; never below what
 * is reserved.
 */
export interface AdjustStock {
  readonly type: 'AdjustStock';
  readonly change: { readonly to: number } | { readonly by: number } | { readonly available: number };
  readonly reason: string;
  /** Null: the shop's threshold counts. Left out: as it is. */
  readonly reorderPoint?: number | null;
  /** Whose change a new reorder point is; left out where it has been announced already. */
  readonly product?: ChangedProduct;
}

/** The default that sold out here has been passed on, or need not be any more. */
export interface EndPassingOnDefault {
  readonly type: 'EndPassingOnDefault';
}

/** Says what a basket holds here in all; the placement is the business key of a repeat. */
export interface ReserveStock extends Holder {
  readonly type: 'ReserveStock';
  readonly quantity: number;
}

/** Gives back all that the basket holds here, unless a later placement has taken it over. */
export interface ReleaseStock extends Holder {
  readonly type: 'ReleaseStock';
  /** That nothing is held is noted too: another driver's reservation may still be under way. */
  readonly isFinal?: boolean;
}

/**
 * An invoice was edited: what the edit has reserved in its own name becomes the basket's, and units that are not wanted
 * any more are given back, or leave the stock. The edit is the business key of a repeat.
 */
export interface EditReservation {
  readonly type: 'EditReservation';
  readonly basketId: string;
  readonly placementId: string;
  readonly editId: string;
  readonly released: number;
  readonly destroyed: number;
}

/** Takes units out with a shipment, the business key of a repeat. Those that are reserved for it come first. */
export interface AllocateStock extends Holder {
  readonly type: 'AllocateStock';
  readonly shipmentId: string;
  readonly quantity: number;
}

/** Puts back what a shipment took; the units are reserved again where they are still owed. */
export interface ReverseAllocation extends Holder {
  readonly type: 'ReverseAllocation';
  readonly shipmentId: string;
  /** Counts where the row has forgotten what the shipment took. */
  readonly quantity: number;
  readonly isOwed: boolean;
}

/** Gives back units that the basket holds here, and keeps the rest; a repeat has the same move id. */
export interface ReduceReservation extends Holder {
  readonly type: 'ReduceReservation';
  readonly moveId: string;
  readonly quantity: number;
}

export interface InventoryApi {
  /** Makes a sibling the default where the last units of the default have left; by the row's id. */
  passOn(stockRowId: string, meta: CommandMeta): Promise<unknown>;
  /** Takes the rows of a warehouse away, where none holds a unit and nothing else needs it. */
  clearWarehouse(warehouseId: string, meta: CommandMeta): Promise<unknown>;
}

export type StockCommand =
  | SaveStockRow
  | RemoveStockRow
  | AdjustStock
  | EndPassingOnDefault
  | ReserveStock
  | ReleaseStock
  | AllocateStock
  | ReverseAllocation
  | ReduceReservation
  | EditReservation;
