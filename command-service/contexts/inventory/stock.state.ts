import type { InventoryEvent } from '#events/inventory.events.ts';
import { unchanged, type Evolution } from '#kernel/evolution.ts';
import type { StockLevel } from '#reference/reference.ts';
import { rememberReleased, takenBy, type Held, type Holder } from '#values/basket-hold.ts';

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
  /** Baskets that have given back what they held, the last ones: what is late must not reserve it again. */
  readonly released: Record<string, Held>;
  /** By shipment, or by move, the last ones: a repeat moves nothing again. */
  readonly moved: Record<string, Moved>;
}

export type StockState = { readonly status: 'unopened' } | OpenStock;

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
    if (state.status === 'unopened') return state;
    hold(state, data);
    return { ...state, stock: data.stock, reserved: data.reserved };
  };

const MOVES_REMEMBERED = 1000;

/** Remembers a move, in place; the oldest are forgotten, so that it does not grow. */
const rememberMoved = (moved: OpenStock['moved'], id: string, move: Moved): void => {
  delete moved[id];
  moved[id] = move;
  for (const oldest in moved) {
    if (Object.keys(moved).length <= MOVES_REMEMBERED) return;
    delete moved[oldest];
  }
};

/** The basket holds so many less; with the last unit nothing is left of its reservation. */
const holdLess = ({ holds, released }: OpenStock, basketId: string, units: number): void => {
  const hold = holds[basketId];
  if (!hold || units === 0) return;
  if (hold.quantity > units) {
    holds[basketId] = { ...hold, quantity: hold.quantity - units, isSold: true };
    return;
  }
  holdNothing({ holds, released }, basketId);
};

const holdNothing = ({ holds, released }: Pick<OpenStock, 'holds' | 'released'>, basketId: string): void => {
  const hold = holds[basketId];
  if (!hold) return;
  delete holds[basketId];
  const { quantity: _, isSold: __, ...held } = hold;
  rememberReleased(released, basketId, held);
};

const holdAgain = ({ holds, released }: OpenStock, holder: Holder, units: number): void => {
  const { basketId, placementId } = holder;
  const held = holds[basketId] ?? released[basketId] ?? { placementId, replaced: [] };
  holds[basketId] = { ...held, quantity: (holds[basketId]?.quantity ?? 0) + units, isSold: true };
  delete released[basketId];
};

export const onStockEvents: Evolution<StockState, InventoryEvent> = {
  StockRowOpened: (_, { data }) => ({
    status: 'open',
    ...data,
    reserved: 0,
    passesOn: null,
    holds: {},
    released: {},
    moved: {},
  }),
  StockAdjusted: counted(() => undefined),
  StockRanLow: unchanged,
  ReorderPointChanged: (state, { data: { reorderPoint } }) =>
    state.status === 'open' ? { ...state, reorderPoint } : state,
  DefaultVariantSoldOut: (state, { data: { rootId } }) =>
    state.status === 'open' ? { ...state, passesOn: rootId } : state,
  DefaultVariantPassedOn: (state) => (state.status === 'open' ? { ...state, passesOn: null } : state),
  StockReserved: counted(({ holds, released }, data) => {
    const { basketId, quantity } = data;
    holds[basketId] = { ...takenBy(data, holds[basketId] ?? released[basketId]), quantity };
    delete released[basketId];
  }),
  StockReleased: counted(({ holds, released }, data) => {
    const { basketId } = data;
    const taken = takenBy(data, holds[basketId] ?? released[basketId]);
    delete holds[basketId];
    rememberReleased(released, basketId, taken);
  }),
  StockAllocated: counted((row, { basketId, shipmentId, quantity, held }) => {
    holdLess(row, basketId, held);
    rememberMoved(row.moved, shipmentId, { quantity });
  }),
  AllocationReversed: counted((row, data) => {
    const { shipmentId, quantity, isOwed } = data;
    if (isOwed) holdAgain(row, data, quantity);
    rememberMoved(row.moved, shipmentId, { quantity, isReversed: true });
  }),
  ReservationReduced: counted((row, { basketId, moveId, quantity }) => {
    holdLess(row, basketId, quantity);
    rememberMoved(row.moved, moveId, { quantity });
  }),
  ReservationEdited: counted((row, data) => {
    const { holds, released, moved } = row;
    const { basketId, placementId, editId, taken, quantity } = data;
    const held = holds[basketId] ?? takenBy({ placementId }, released[basketId]);
    // What the edit itself still sends comes late.
    rememberReleased(released, editId, holds[editId] ?? { placementId: editId, replaced: [] });
    rememberMoved(moved, editId, { quantity: taken });
    delete holds[editId];
    holds[basketId] = { ...held, quantity, isSold: true };
    delete released[basketId];
    if (quantity === 0) holdNothing(row, basketId);
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
  if (state.status === 'unopened') return nothing;
  const { stock, reserved, trackStock, reorderPoint, reorderQuantity } = state;
  return { stock, reserved, trackStock, reorderPoint, reorderQuantity };
};
