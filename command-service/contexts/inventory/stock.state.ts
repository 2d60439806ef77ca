import type { InventoryEvent } from '#events/inventory.events.ts';
import { unchanged, type Evolution } from '#kernel/evolution.ts';
import type { StockLevel } from '#values/stock-units.ts';
import { takenBy, type Held, type Holder } from '#values/basket-hold.ts';
import { forget, nothingRecent, recall, remember, type Recent } from '#values/recent.ts';

/** What a basket has reserved. */
interface Hold extends Held {
  readonly quantity: number;
  /** Some of it has been shipped or given back since: its placement reserves nothing any more. */
  readonly isSold?: true;
}

/** Units that have moved since they were sold. */
interface Moved {
  readonly quantity: number;
  /** They are back. */
  readonly isReversed?: true;
}

export interface OpenStock {
  readonly status: 'open';
  readonly productId: string;
  readonly warehouseId: string;
  readonly sku: string;
  readonly stock: number;
  readonly reserved: number;
  readonly trackStock: boolean;
  readonly reorderPoint: number | null;
  readonly reorderQuantity: number | null;
  /** The product whose default is being passed on, as the last units here are gone. */
  readonly passesOn: string | null;
  /** By basket. Grows in place: there may be thousands. */
  readonly holds: Record<string, Hold>;
  /** Baskets that hold nothing any more: what is late must not reserve it again. */
  readonly released: Recent<Held>;
  /** By shipment, or by move: a repeat moves nothing again. */
  readonly moved: Recent<Moved>;
}

/** A row that was taken away. What is late is known by it still, should it be opened again. */
type RemovedStock = Pick<OpenStock, 'released' | 'moved'> & { readonly status: 'removed' };

export type StockState = { readonly status: 'unopened' } | RemovedStock | OpenStock;

type Counted = Extract<
  InventoryEvent,
  {
    readonly type:
      | 'StockAdjusted'
      | 'StockReserved'
      | 'StockReleased'
      | 'StockAllocated'
      | 'AllocationReversed'
      | 'ReservationReduced'
      | 'ReservationEdited';
  }
>;

/** A row's figures after an event, and who holds what; nothing happens in a row that is not open. */
const counted =
  <Event extends Counted>(hold: (state: OpenStock, data: Event['data']) => void) =>
  (state: StockState, { data }: Event): StockState => {
    if (state.status !== 'open') return state;
    hold(state, data);
    return { ...state, stock: data.stock, reserved: data.reserved };
  };

/** Reduces what the basket holds; with the last unit its reservation ends. */
const holdLess = (row: OpenStock, basketId: string, units: number, at: string | undefined): void => {
  const hold = row.holds[basketId];
  if (!hold || units === 0) return;
  if (hold.quantity > units) row.holds[basketId] = { ...hold, quantity: hold.quantity - units, isSold: true };
  else holdNothing(row, basketId, at);
};

const holdNothing = ({ holds, released }: OpenStock, basketId: string, at: string | undefined): void => {
  const hold = holds[basketId];
  if (!hold) return;
  delete holds[basketId];
  const { quantity: _, isSold: __, ...held } = hold;
  remember(released, basketId, held, at);
};

const holdAgain = ({ holds, released }: OpenStock, holder: Holder, units: number): void => {
  const { basketId, placementId } = holder;
  const held = holds[basketId] ?? recall(released, basketId) ?? { placementId, replaced: [] };
  holds[basketId] = { ...held, quantity: (holds[basketId]?.quantity ?? 0) + units, isSold: true };
  forget(released, basketId);
};

export const onStockEvents: Evolution<StockState, InventoryEvent> = {
  StockRowOpened: (state, { data }) => ({
    status: 'open',
    ...data,
    reserved: 0,
    passesOn: null,
    holds: {},
    released: state.status === 'removed' ? state.released : nothingRecent(),
    moved: state.status === 'removed' ? state.moved : nothingRecent(),
  }),
  StockRowChanged: (state, { data: { trackStock, reorderPoint, reorderQuantity } }) =>
    state.status === 'open' ? { ...state, trackStock, reorderPoint, reorderQuantity } : state,
  StockRowRemoved: (state) => {
    if (state.status !== 'open') return state;
    const { released, moved } = state;
    return { status: 'removed', released, moved };
  },
  StockAdjusted: counted(() => undefined),
  StockRanLow: unchanged,
  ReorderPointChanged: (state, { data: { reorderPoint } }) =>
    state.status === 'open' ? { ...state, reorderPoint } : state,
  DefaultVariantSoldOut: (state, { data: { rootId } }) =>
    state.status === 'open' ? { ...state, passesOn: rootId } : state,
  DefaultVariantPassedOn: (state) => (state.status === 'open' ? { ...state, passesOn: null } : state),
  StockReserved: counted(({ holds, released }, data) => {
    const { basketId, quantity } = data;
    holds[basketId] = { ...takenBy(data, holds[basketId] ?? recall(released, basketId)), quantity };
    forget(released, basketId);
  }),
  StockReleased: counted(({ holds, released }, data) => {
    const { basketId } = data;
    const taken = takenBy(data, holds[basketId] ?? recall(released, basketId));
    delete holds[basketId];
    remember(released, basketId, taken);
  }),
  StockAllocated: counted((row, { basketId, shipmentId, quantity, held, movedAt }) => {
    holdLess(row, basketId, held, movedAt);
    remember(row.moved, shipmentId, { quantity }, movedAt);
  }),
  AllocationReversed: counted((row, data) => {
    const { shipmentId, quantity, isOwed, movedAt } = data;
    if (isOwed) holdAgain(row, data, quantity);
    remember(row.moved, shipmentId, { quantity, isReversed: true }, movedAt);
  }),
  ReservationReduced: counted((row, { basketId, moveId, quantity, movedAt }) => {
    holdLess(row, basketId, quantity, movedAt);
    remember(row.moved, moveId, { quantity }, movedAt);
  }),
  ReservationEdited: counted((row, data) => {
    const { holds, released, moved } = row;
    const { basketId, placementId, editId, taken, quantity, movedAt } = data;
    const held = holds[basketId] ?? takenBy({ placementId }, recall(released, basketId));
    // What the edit itself still sends comes late.
    remember(released, editId, holds[editId] ?? { placementId: editId, replaced: [] }, movedAt);
    remember(moved, editId, { quantity: taken }, movedAt);
    delete holds[editId];
    holds[basketId] = { ...held, quantity, isSold: true };
    forget(released, basketId);
    if (quantity === 0) holdNothing(row, basketId, movedAt);
  }),
};

const nothing: StockLevel = {
  stock: 0,
  reserved: 0,
  trackStock: true,
  reorderPoint: null,
  reorderQuantity: null,
};

/** What a row holds; nothing before it is opened. */
export const levelOf = (state: StockState): StockLevel => {
  if (state.status !== 'open') return nothing;
  const { stock, reserved, trackStock, reorderPoint, reorderQuantity } = state;
  return { stock, reserved, trackStock, reorderPoint, reorderQuantity };
};
