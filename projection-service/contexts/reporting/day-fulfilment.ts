import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import { projection, remove, type Document } from '#kernel/projection.ts';
import { fulfillmentOf } from '#values/order-transitions.ts';
import { idOf } from '#values/stream-name.ts';

/** An invoice that stands, as far as it says whether its goods are on their way. */
export interface InvoiceOrders extends Document {
  readonly businessDay: string;
  readonly orderStatuses: Readonly<Record<string, OrderStatus>>;
}

export const isFulfilled = ({ orderStatuses }: InvoiceOrders): boolean =>
  fulfillmentOf([...new Set(Object.values(orderStatuses))]) === 'Fulfilled';

/**
 * The orders of invoices, for a day of the past: what happened to an invoice on its first day is folded from the log.
 * No view holds them, as the list of orders says the same of now (docs/rules/orders.md#statistics).
 */
export const dayFulfilmentProjection = projection<InvoiceEvent>()<InvoiceOrders>({
  name: 'dayFulfilment',
  version: 1,
  indexes: [],
  keys: ({ stream }) => [idOf(stream)],
  on: {
    InvoiceCreated: (_, { data: { content } }, key) => ({
      _id: key,
      businessDay: content.businessDay,
      orderStatuses: Object.fromEntries(content.orders.map(({ orderId }) => [orderId, 'Pending'])),
    }),
    InvoiceEdited: (invoice, { data: { orderStatuses } }) =>
      invoice && { ...invoice, orderStatuses: { ...invoice.orderStatuses, ...orderStatuses } },
    OrderStatusChanged: (invoice, { data: { orderId, to } }) =>
      invoice && { ...invoice, orderStatuses: { ...invoice.orderStatuses, [orderId]: to } },
    InvoiceSuperseded: () => remove,
    InvoiceCancelled: () => remove,
    InvoiceDeleted: () => remove,
  },
});
