import type { OrderStatus } from '#events/invoice.fields.ts';
import type { InvoiceBalance } from '#values/invoice-balance.ts';
import type { Part } from './invoice-part.state.ts';

/** What an invoice that is closed, or may be, is known by. */
export interface Closing {
  readonly status: 'open' | 'superseded' | 'cancelled' | 'deleted';
  /** Why it was cancelled. */
  readonly cancellation: string | null;
  /** What was given back of it, in the store's currency. */
  readonly returns: number;
  /** Cancelled by staff, not expired, whatever the reason says. */
  readonly isByStaff: boolean;
  /** Cancelled by staff, or deleted, and still holding goods. */
  readonly isToBeCleared: boolean;
  /** The orders that were cancelled with it. */
  readonly closedOrderIds: readonly string[];
}

interface Closable extends Closing {
  readonly balance: InvoiceBalance;
  readonly orderStatuses: Readonly<Record<string, OrderStatus>>;
}

/** Of an invoice that stands. */
export const standing: Closing = {
  status: 'open',
  cancellation: null,
  returns: 0,
  isByStaff: false,
  isToBeCleared: false,
  closedOrderIds: [],
};

export const onClosingEvents = {
  // What its edits have reserved, the next invoice of its basket does not take over.
  InvoiceSuperseded: ({ orderStatuses }, { data: { isEdited } }) => ({
    status: 'superseded',
    isToBeCleared: isEdited === true,
    closedOrderIds: isEdited ? Object.keys(orderStatuses) : [],
  }),
  InvoiceCancelled: (_, { data: { reason, balance, cancelledBy, orderIds = [] } }) => ({
    status: 'cancelled',
    cancellation: reason,
    balance,
    isByStaff: cancelledBy !== undefined,
    isToBeCleared: cancelledBy !== undefined,
    closedOrderIds: orderIds,
  }),
  InvoiceDeleted: (invoice, { data: { balance, wasCancelled, orderIds } }) => ({
    status: 'deleted',
    balance,
    isToBeCleared: invoice.isToBeCleared || !wasCancelled,
    closedOrderIds: wasCancelled ? invoice.closedOrderIds : orderIds,
  }),
  InvoiceCleared: () => ({ isToBeCleared: false }),
} satisfies Part<Closable>;
