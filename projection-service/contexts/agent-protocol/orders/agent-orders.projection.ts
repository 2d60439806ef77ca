import type { AgentOrderDocument } from '#agent-orders/agent-order.document.ts';
import { agentOrderFold } from '#agent-orders/agent-order.fold.ts';
import type { AgentOrderEvent } from '#events/agent-order.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { projection } from '#kernel/projection.ts';
import { idOf, streamOf } from '#values/stream-name.ts';

/** A shopper's own sale says so: nothing is looked up for it. */
const isOfShopper = (event: InvoiceEvent | AgentOrderEvent): boolean => {
  switch (event.type) {
    case 'InvoiceCreated':
    case 'SaleConfirmed':
    case 'InvoiceEdited':
      return event.data.content.source.type !== 'ucp';
    default:
      return false;
  }
};

/** The orders of agents, by the id of their invoice, as they are shown to agents (docs/rules/agent-orders.md). */
export const agentOrdersProjection = projection<InvoiceEvent | AgentOrderEvent>()<AgentOrderDocument>({
  name: 'agentOrders',
  version: 1,
  indexes: [],
  keys: (event) => (isOfShopper(event) ? [] : [idOf(event.stream)]),
  streamOf: streamOf.invoice,
  on: agentOrderFold,
});
