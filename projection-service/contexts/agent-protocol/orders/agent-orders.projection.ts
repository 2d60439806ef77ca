import type { AgentOrderDocument } from '#agent-orders/agent-order.document.ts';
import { agentOrderFold } from '#agent-orders/agent-order.fold.ts';
import type { AgentOrderEvent } from '#events/agent-order.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { projection } from '#kernel/projection.ts';
import { idOf, streamOf } from '#values/stream-name.ts';

/** The orders of agents, by the id of their invoice, as they are shown to agents (docs/rules/agent-orders.md). */
export const agentOrdersProjection = projection<InvoiceEvent | AgentOrderEvent>()<AgentOrderDocument>({
  name: 'agentOrders',
  version: 1,
  indexes: [],
  keys: ({ stream }) => [idOf(stream)],
  streamOf: streamOf.invoice,
  on: agentOrderFold,
});
