import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import type { KnownInvoice } from './invoice.state.ts';

const { OrderStatusChanged } = invoiceEvents.create;

/** Moves every order for which `to` names a status. */
export const moveOrders = (
  invoice: KnownInvoice,
  to: (orderId: string, from: OrderStatus) => OrderStatus,
  reason?: string,
): InvoiceEvent[] => {
  const name = { invoiceNumber: invoice.invoiceNumber, businessDay: invoice.content.businessDay };
  return Object.entries(invoice.orderStatuses)
    .map(([orderId, from]) => ({ orderId, from, to: to(orderId, from), ...name }))
    .filter((move) => move.from !== move.to)
    .map((move) => OrderStatusChanged({ ...move, ...(reason === undefined ? {} : { reason }) }));
};
