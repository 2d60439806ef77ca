import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import { laterSourceTypeOf } from '#events/sale-figures.ts';
import { defined } from '#kernel/defined.ts';
import type { KnownInvoice } from '../invoice.state.ts';

const { OrderStatusChanged } = invoiceEvents.create;

export interface Moving {
  /** The business day. */
  readonly day: string;
  readonly reason?: string | undefined;
  /** Cancelled on its own, without its invoice. */
  readonly isAlone?: true | undefined;
  /** Of an invoice that nobody has been told of. */
  readonly isSilent?: true | undefined;
  /** Put on hold by its provider. */
  readonly isHeldByProvider?: true | undefined;
}

/** Moves every order for which `to` names a status. */
export const moveOrders = (
  invoice: KnownInvoice,
  to: (orderId: string, from: OrderStatus) => OrderStatus,
  { day: changedDay, reason, isAlone, isSilent, isHeldByProvider }: Moving,
): InvoiceEvent[] => {
  const { invoiceNumber, content, completedDays } = invoice;
  return Object.entries(invoice.orderStatuses).flatMap(([orderId, from]) => {
    const wanted = to(orderId, from);
    if (wanted === from) return [];
    const completedDay = completedDays[orderId];
    return OrderStatusChanged({
      orderId,
      from,
      to: wanted,
      invoiceNumber,
      businessDay: content.businessDay,
      ...defined({ reason }),
      changedDay,
      ...laterSourceTypeOf(content),
      ...defined({
        completedDay,
        isAlone,
        isSilent,
        isHeldByProvider,
      }),
    });
  });
};

export const moveOneOrder = (
  invoice: KnownInvoice,
  orderId: string,
  to: OrderStatus,
  moving: Moving,
): InvoiceEvent[] => moveOrders(invoice, (id, from) => (id === orderId ? to : from), moving);
