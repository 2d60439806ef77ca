import type { InventoryEvent } from '#events/inventory.events.ts';
import { unchanged, type Evolution } from '#kernel/evolution.ts';
import type { StockLevel } from '#reference/reference.ts';
import { rememberReleased, takenBy, type Held } from '#values/basket-hold.ts';

/** What a basket has reserved. */
interface Hold extends Held {
  readonly quantity: number;
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
}

export type StockState = { readonly status: 'unopened' } | OpenStock;

type Counted = Extract<
  InventoryEvent,
  { readonly type: 'StockAdjusted' | 'StockReserved' | 'StockReleased' }
>;

/** A row's figures after an event, and who holds what; nothing happens in a row that is not open. */
const counted =
  <Event extends Counted>(hold: (state: OpenStock, data: Event['data']) => void) =>
  (state: StockState, { data }: Event): StockState => {
    if (state.status === 'unopened') return state;
    hold(state, data);
    return { ...state, stock: data.stock, reserved: data.reserved };
  };

export const onStockEvents: Evolution<StockState, InventoryEvent> = {
  StockRowOpened: (_, { data }) => ({
    status: 'open',
    ...data,
    reserved: 0,
    passesOn: null,
    holds: {},
    released: {},
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
