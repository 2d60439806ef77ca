import type { AgentOrderEvent } from '#events/agent-order.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import { remove, type Projection } from '#kernel/projection.ts';
import { adjustmentFold } from './adjustments.ts';
import { noAmendments, type AgentOrderDocument, type Amendments } from './agent-order.document.ts';
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
        amended: noAmendments,
      }
    : null;

const byId = <One extends { readonly id: string }>(all: readonly One[]): Readonly<Record<string, One>> =>
  Object.fromEntries(all.map((one) => [one.id, one]));

/** What is there already is replaced, and keeps its place. */
const amendedAfter = (
  { events, adjustments }: Amendments,
  data: EventOfType<AgentOrderEvent, 'AgentOrderAmended'>['data'],
): Amendments => ({
  events: { ...events, ...byId(data.events) },
  adjustments: { ...adjustments, ...byId(data.adjustments) },
});

/** What events make of the order of an agent (docs/rules/agent-orders.md). */
export const agentOrderFold: Projection<AgentOrderDocument, InvoiceEvent | AgentOrderEvent>['on'] = {
  InvoiceCreated: (_document, { data }, key) => created(data, key),
  SaleConfirmed: (document, { data: { orderStatuses } }) =>
    document && {
      ...document,
      isConfirmed: true,
      orderStatuses: { ...document.orderStatuses, ...orderStatuses },
    },
  ShippingAddressChanged: (document, { data: { address: shippingAddress } }) =>
    document && { ...document, shippingAddress },
  InvoiceForgotten: (document) => document && { ...document, shippingAddress: null, amended: noAmendments },
  InvoiceDeleted: (document) => document && remove,
  AgentOrderAmended: (document, { data }) =>
    document && { ...document, amended: amendedAfter(document.amended, data) },
  ...shippingFold,
  ...adjustmentFold,
};
