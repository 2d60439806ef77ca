import type { InventoryEvent } from '#events/inventory.events.ts';
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
  /** By basket. Grows in place: there may be thousands. */
  readonly holds: Record<string, Hold>;
  /** Baskets that have given back what they held, the last ones: what is late must not reserve it again. */
  readonly released: Record<string, Held>;
}

export type StockState = { readonly status: 'unopened' } | OpenStock;

const held = ({ holds, released }: OpenStock, event: InventoryEvent): void => {
  if (event.type !== 'StockReserved' && event.type !== 'StockReleased') return;
  const { basketId, quantity } = event.data;
  const taken = takenBy(event.data, holds[basketId] ?? released[basketId]);
  if (event.type === 'StockReserved') {
    holds[basketId] = { ...taken, quantity };
    delete released[basketId];
  } else {
    delete holds[basketId];
    rememberReleased(released, basketId, taken);
  }
};

export const evolveStock = (state: StockState, event: InventoryEvent): StockState => {
  if (event.type === 'StockRowOpened')
    return { status: 'open', ...event.data, reserved: 0, holds: {}, released: {} };
  if (state.status === 'unopened') return state;
  const { stock, reserved } = event.data;
  held(state, event);
  return { ...state, stock, reserved };
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
