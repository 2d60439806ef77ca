import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import { projection, remove } from '#kernel/projection.ts';
import { idOf, streamOf } from '#values/stream-name.ts';
import { adjustmentFold } from './adjustments.ts';
import type { AgentOrderDocument } from './agent-order.document.ts';
import { shippingFold } from './shipping-events.ts';

const created = (
  { invoiceNumber, content, shippingAddress }: EventOfType<InvoiceEvent, 'InvoiceCreated'>['data'],
  key: string,
): AgentOrderDocument | null =>
  content.source.type === 'ucp'
    ? {
        _id: key,
        invoiceNumber,
        agent: content.source.sourceId,
        sessionId: content.source.sessionId,
        content,
        lines: content.orders.flatMap(({ lines }) => lines.map((line) => ({ line, sold: line.quantity }))),
        shippingAddress,
        orderStatuses: Object.fromEntries(content.orders.map(({ orderId }) => [orderId, 'Pending'])),
        isConfirmed: false,
        shipments: [],
        events: [],
        adjustments: [],
      }
    : null;

/** The orders of agents, by the id of their invoice, as they are shown to agents (docs/rules/agent-orders.md). */
export const agentOrdersProjection = projection<InvoiceEvent>()<AgentOrderDocument>({
  name: 'agentOrders',
  version: 1,
  indexes: [],
  keys: ({ stream }) => [idOf(stream)],
  streamOf: streamOf.invoice,
  on: {
    InvoiceCreated: (_document, { data }, key) => created(data, key),
    SaleConfirmed: (document, { data: { orderStatuses } }) =>
      document && {
        ...document,
        isConfirmed: true,
        orderStatuses: { ...document.orderStatuses, ...orderStatuses },
      },
    ShippingAddressChanged: (document, { data: { address: shippingAddress } }) =>
      document && { ...document, shippingAddress },
    InvoiceForgotten: (document) => document && { ...document, shippingAddress: null },
    InvoiceDeleted: (document) => document && remove,
    ...shippingFold,
    ...adjustmentFold,
  },
});
