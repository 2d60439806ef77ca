import type { InvoiceContent } from '#events/invoice.fields.ts';
import { orderTotals } from '#events/order-totals.ts';
import { toDecimal } from '#values/money.ts';
import { changesDates } from '#values/order-transitions.ts';
import { idOf } from '#values/stream-name.ts';
import { sampleAt, sampleCurrency, sampleInvoice, sampleLater, sampleOrder } from './samples.ts';
import { declareTopics } from './topic.ts';

interface WithOrders {
  readonly content: InvoiceContent;
  readonly invoiceNumber: string;
  readonly orderStatuses: Readonly<Record<string, string>>;
}

const createdOrders = (
  { content, invoiceNumber, orderStatuses }: WithOrders,
  invoiceId: string,
  dateCreated: string,
) =>
  [...orderTotals(content)].map(([id, total]) => ({
    entityType: 'Order',
    entityId: id,
    data: {
      id,
      invoiceId,
      status: orderStatuses[id] ?? null,
      dateCreated,
      invoiceNumber,
      total: toDecimal(total, content.currency),
      currencyCode: content.currency,
    },
  }));

const updatedOrders = (orderStatuses: WithOrders['orderStatuses'], invoiceId: string, dateUpdated: string) =>
  Object.entries(orderStatuses).map(([id, status]) => ({
    entityType: 'Order',
    entityId: id,
    data: { id, invoiceId, status, dateUpdated },
  }));

export const orderTopics = declareTopics('Orders', {
  'order.created': {
    displayName: 'Order Created',
    description: 'A sale is confirmed: once for each of its orders. Or an edit opens one more.',
    sample: {
      ...sampleOrder,
      status: 'ReadyToFulfill',
      dateCreated: sampleAt,
      invoiceNumber: sampleInvoice.invoiceNumber,
      total: 25.92,
      currencyCode: sampleCurrency,
    },
    on: {
      SaleConfirmed: ({ data, stream }) => createdOrders(data, idOf(stream), data.content.createdAt),
      InvoiceEdited: ({ data, stream }) =>
        data.openedOrderIds
          ? createdOrders(data, idOf(stream), data.editedAt).filter(({ entityId }) =>
              data.openedOrderIds?.includes(entityId),
            )
          : null,
    },
  },
  'order.updated': {
    displayName: 'Order Updated',
    description:
      'Follows the creation of an order. Then its contents, its shipping or the dates of its status have changed.',
    sample: { ...sampleOrder, status: 'Processing', dateUpdated: sampleLater },
    on: {
      SaleConfirmed: ({ data, stream }) => updatedOrders(data.orderStatuses, idOf(stream), data.confirmedAt),
      // An order is told of once its sale is. One that is emptied is cancelled, which tells of it.
      InvoiceEdited: ({ data: { orderStatuses, editedAt, isOfSale }, stream }) =>
        isOfSale
          ? updatedOrders(orderStatuses, idOf(stream), editedAt).filter(
              ({ data }) => data.status !== 'Cancelled',
            )
          : null,
      ShippingAddressChanged: ({ data: { orderStatuses = {}, changedAt }, stream }) =>
        updatedOrders(orderStatuses, idOf(stream), changedAt),
      OrderStatusChanged: ({ data: { orderId, from, to }, stream, recordedAt }) =>
        changesDates(from, to) ? updatedOrders({ [orderId]: to }, idOf(stream), recordedAt) : null,
    },
  },
  'order.status_changed': {
    displayName: 'Order Status Changed',
    description: 'An order moves from one status to another.',
    sample: {
      order: { ...sampleOrder, status: 'ReadyToFulfill' },
      previousStatus: 'Pending',
      newStatus: 'ReadyToFulfill',
      reason: null,
    },
    on: {
      OrderStatusChanged: ({ data: { orderId, from, to, reason = null }, stream }) => ({
        entityType: 'Order',
        entityId: orderId,
        data: {
          order: { id: orderId, invoiceId: idOf(stream), status: to },
          previousStatus: from,
          newStatus: to,
          reason,
        },
      }),
    },
  },
  'order.cancelled': {
    displayName: 'Order Cancelled',
    description: 'An invoice is cancelled with all its orders.',
    sample: {
      ...sampleInvoice,
      reason: 'The customer changed their mind',
      cancelledOrderCount: 1,
      orderIds: [sampleOrder.id],
    },
    on: {
      // What expired was never sold, and never announced.
      InvoiceCancelled: ({ data, stream }) => {
        const { invoiceNumber, reason, cancelledBy, orderIds = [] } = data;
        if (cancelledBy === undefined) return null;
        const id = idOf(stream);
        const what = { id, invoiceNumber, reason, cancelledOrderCount: orderIds.length, orderIds };
        return { entityType: 'Invoice', entityId: id, data: what };
      },
    },
  },
});
