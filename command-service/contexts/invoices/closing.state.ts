import type { ClosedSale, InvoiceContent, OrderStatus } from '#events/invoice.fields.ts';
import { saleAsItStands } from '#events/sale-figures.ts';
import type { InvoiceBalance } from '#values/invoice-balance.ts';
import type { Part } from './invoice-part.state.ts';

export interface Closing {
  readonly status: 'open' | 'superseded' | 'cancelled' | 'deleted';
  /** Given back so far, in the store's currency. */
  readonly returns: number;
  /** The billing country that its sale was confirmed with, whatever has been corrected since. */
  readonly soldTo: string | null;
  /** Cancelled by staff rather than expired. */
  readonly isByStaff: boolean;
  /** Cancelled by staff, or deleted, and still holding goods. */
  readonly isToBeCleared: boolean;
  /** Orders cancelled with it. */
  readonly closedOrderIds: readonly string[];
}

interface Closable extends Closing {
  readonly balance: InvoiceBalance;
  readonly orderStatuses: Readonly<Record<string, OrderStatus>>;
}

export const standing: Closing = {
  status: 'open',
  returns: 0,
  soldTo: null,
  isByStaff: false,
  isToBeCleared: false,
  closedOrderIds: [],
};

/** A confirmed sale as reports have it now. */
export const saleOf = ({
  content,
  returns,
  soldTo,
}: Pick<Closing, 'returns' | 'soldTo'> & { readonly content: InvoiceContent }): ClosedSale =>
  saleAsItStands(content, returns, soldTo ?? undefined);

export const onClosingEvents = {
  SaleConfirmed: (_, { data: { countryCode = null } }) => ({ soldTo: countryCode }),
  // The basket's next invoice does not take over what edits of this one reserved.
  InvoiceSuperseded: ({ orderStatuses }, { data: { isEdited } }) => ({
    status: 'superseded',
    isToBeCleared: isEdited === true,
    closedOrderIds: isEdited ? Object.keys(orderStatuses) : [],
  }),
  InvoiceCancelled: (_, { data: { balance, cancelledBy, orderIds = [] } }) => ({
    status: 'cancelled',
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
