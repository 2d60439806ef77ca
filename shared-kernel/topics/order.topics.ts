import { z } from 'zod';
import { orderStatus, type InvoiceContent } from '#events/invoice.fields.ts';
import { orderTotals } from '#events/order-totals.ts';
import { toDecimal } from '#values/money.ts';
import { changesDates, type OrderStatus } from '#values/order-transitions.ts';
import { idOf } from '#values/stream-name.ts';
import { count, currencyCode, guid, instant, money, personalText, text } from './data-fields.ts';
import { sampleAt, sampleCurrency, sampleInvoice, sampleLater, sampleOrder } from './samples.ts';
import { declareTopics } from './topic.ts';

interface WithOrders {
  readonly content: InvoiceContent;
  readonly invoiceNumber: string;
  readonly orderStatuses: Readonly<Record<string, OrderStatus>>;
}

const createdOrders = (
  { content, invoiceNumber, orderStatuses }: WithOrders,
  invoiceId: string,
  dateCreated: string,
) =>
  [...orderTotals(content)].map(([id, total]) => ({
    entityId: id,
    data: {
      id,
      invoiceId,
      status: orderStatuses[id] ?? 'Pending',
      dateCreated,
      invoiceNumber,
      total: toDecimal(total, content.currency),
      currencyCode: content.currency,
    },
  }));

const updatedOrders = (orderStatuses: WithOrders['orderStatuses'], invoiceId: string, dateUpdated: string) =>
  Object.entries(orderStatuses).map(([id, status]) => ({
    entityId: id,
    data: { id, invoiceId, status, dateUpdated },
  }));

const order = { id: guid, invoiceId: guid, status: orderStatus };

export const orderTopics = declareTopics('Orders', {
  'order.created': {
    displayName: 'Order Created',
    description: 'A sale is confirmed: once for each of its orders. Or an edit of a sale opens one more.',
    entityType: 'Order',
    schema: z.strictObject({
      ...{ ...order, dateCreated: instant },
      ...{ invoiceNumber: text, total: money, currencyCode },
    }),
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
      'Right after `order.created`; then when an edit or another address changes the order, or a date of its status does.',
    entityType: 'Order',
    schema: z.strictObject({ ...order, dateUpdated: instant }),
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
      OrderStatusChanged: ({ data: { orderId, from, to, isSilent }, stream, recordedAt }) =>
        changesDates(from, to) && !isSilent
          ? updatedOrders({ [orderId]: to }, idOf(stream), recordedAt)
          : null,
    },
  },
  'order.status_changed': {
    displayName: 'Order Status Changed',
    description:
      'An order moves from one status to another, by staff, a payment, a shipment, a provider or a cancellation. Not when an unpaid invoice expires or is replaced.',
    entityType: 'Order',
    schema: z.strictObject({
      ...{ order: z.strictObject(order), previousStatus: orderStatus, newStatus: orderStatus },
      reason: personalText,
    }),
    sample: {
      order: { ...sampleOrder, status: 'ReadyToFulfill' },
      previousStatus: 'Pending',
      newStatus: 'ReadyToFulfill',
      reason: null,
    },
    on: {
      OrderStatusChanged: ({ data: { orderId, from, to, reason = null, isSilent }, stream }) => {
        if (isSilent) return null;
        const order = { id: orderId, invoiceId: idOf(stream), status: to };
        return { entityId: orderId, data: { order, previousStatus: from, newStatus: to, reason } };
      },
    },
  },
  'order.cancelled': {
    displayName: 'Order Cancelled',
    description: 'Staff or an agent cancel an invoice, with all orders that can still be cancelled.',
    entityType: 'Invoice',
    schema: z.strictObject({
      ...{ id: guid.describe("The invoice's"), invoiceNumber: text, reason: personalText },
      ...{ cancelledOrderCount: count, orderIds: z.array(guid) },
    }),
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
        return { entityId: id, data: what };
      },
    },
  },
});
