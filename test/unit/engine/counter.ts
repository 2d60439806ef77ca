import { inventoryEvents, type InventoryEvent } from '#events/inventory.events.ts';
import type { CustomerEvent } from '#events/customer.events.ts';
import { registered } from '#test/support/builders/customer.ts';
import type { Decider } from '#kernel/decider.ts';
import type { EventOfType } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';

/** The smallest decider with a limit: so many pieces, and not one more. */
export type CounterCommand = { readonly type: 'Take'; readonly pieces: number };

type Adjusted = EventOfType<InventoryEvent, 'StockAdjusted'>;

export interface CounterState {
  taken: number;
}

const { StockAdjusted } = inventoryEvents.create;
const row = { productId: 'product', warehouseId: 'warehouse', sku: 'MUG' };

export const taken = (pieces: number, stock: number): Adjusted =>
  StockAdjusted({ ...row, adjustedBy: pieces, reason: 'taken', stock, reserved: 0 });

/** `context` is the limit; taking nothing is "already so". */
export const counter: Decider<CounterState, CounterCommand, Adjusted, number> = {
  category: 'stock',
  initial: () => ({ taken: 0 }),
  decide: ({ taken: before }, { pieces }, limit) => {
    if (before + pieces > limit) throw new Rejection('out-of-stock', 'There is not enough.');
    return pieces === 0 ? [] : [taken(pieces, before + pieces)];
  },
  on: {
    StockAdjusted: (state, { data }) => {
      state.taken += data.adjustedBy;
      return state;
    },
  },
  remembersCommands: true,
};

export const longCounter: typeof counter = {
  ...counter,
  remembersCommands: false,
  snapshot: { version: 1, every: 5 },
};

interface Names {
  readonly names: readonly (string | null)[];
}

/** A decider with personal data, whose state is a snapshot after every event. */
export const guestBook: Decider<
  Names,
  { readonly type: 'Sign'; readonly name: string },
  EventOfType<CustomerEvent, 'CustomerRegistered'>,
  string | null
> = {
  category: 'customer',
  initial: () => ({ names: [] }),
  decide: (_, { name }) => [registered({ email: null, firstName: name, lastName: null })],
  on: { CustomerRegistered: ({ names }, { data }) => ({ names: [...names, data.firstName] }) },
  remembersCommands: false,
  snapshot: { version: 1, every: 1 },
  subject: (id) => ({ id }),
};
