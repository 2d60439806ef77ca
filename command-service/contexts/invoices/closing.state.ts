import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { InvoiceBalance } from '#values/invoice-balance.ts';

/** What an invoice that is closed, or may be, is known by. */
export interface Closing {
  /** What was given back of it, in the store's currency. */
  readonly returns: number;
  /** Cancelled by staff: whatever their reason says, it did not expire. */
  readonly isByStaff: boolean;
  /** Cancelled by staff, or deleted, and still holding goods. */
  readonly isToBeCleared: boolean;
  /** The orders that were cancelled with it. */
  readonly closedOrderIds: readonly string[];
}

interface Closable extends Closing {
  readonly status: 'open' | 'superseded' | 'cancelled' | 'deleted';
  readonly cancellation: string | null;
  readonly balance: InvoiceBalance;
}

type Data<Type extends InvoiceEvent['type']> = EventOfType<InvoiceEvent, Type>['data'];

/** Of an invoice that stands. */
export const standing: Closing = { returns: 0, isByStaff: false, isToBeCleared: false, closedOrderIds: [] };

export const cancelled = <Invoice extends Closable>(
  invoice: Invoice,
  { reason, balance, cancelledBy, orderIds = [] }: Data<'InvoiceCancelled'>,
): Invoice => ({
  ...invoice,
  status: 'cancelled',
  cancellation: reason,
  balance,
  isByStaff: cancelledBy !== undefined,
  isToBeCleared: cancelledBy !== undefined,
  closedOrderIds: orderIds,
});

/** What its edits have reserved, the next invoice of its basket does not take over. */
export const superseded = <Invoice extends Closable & { readonly orderStatuses: object }>(
  invoice: Invoice,
  { data: { isEdited } }: EventOfType<InvoiceEvent, 'InvoiceSuperseded'>,
): Invoice => ({
  ...invoice,
  status: 'superseded',
  isToBeCleared: isEdited === true,
  closedOrderIds: isEdited ? Object.keys(invoice.orderStatuses) : [],
});

export const deleted = <Invoice extends Closable>(
  invoice: Invoice,
  { balance, wasCancelled, orderIds }: Data<'InvoiceDeleted'>,
): Invoice => ({
  ...invoice,
  status: 'deleted',
  balance,
  isToBeCleared: invoice.isToBeCleared || !wasCancelled,
  closedOrderIds: wasCancelled ? invoice.closedOrderIds : orderIds,
});
