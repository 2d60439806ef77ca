import { orderForms } from '#agents/forms/order-forms.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import {
  agentOrderResponse,
  amendOrderBody,
  receivedWebhooks,
  sentWebhook,
  simulatedOrder,
  simulatedShipping,
  sinkParams,
  webhookReceived,
} from '#contracts/agent-order.contract.ts';
import { agentRoutes } from '#http/agent-route.ts';
import { ProtocolRejection } from '#http/protocol-rejection.ts';
import { agent, anyone, ok, route, type Route, type RouteRequest } from '#http/route.ts';
import { isoInstant } from '#kernel/clock.ts';
import { isSameToken } from '#runtime/id-tokens.ts';
import { createAmendOrder } from './amend-order.ts';
import { createWebhookSink } from './webhook-sink.ts';
import { createSimulateShipping } from './simulate-shipping.ts';

const file = import.meta.url;

const amendRoutes = (deps: ModuleDeps): readonly Route[] => {
  const amend = createAmendOrder(deps);
  const { ask } = agentRoutes(deps.config.protocol);
  return ['/api/v1/orders/{id}', '/orders/{id}'].map((path) =>
    ask({
      method: 'PUT',
      path,
      service: 'command',
      caller: agent,
      summary: 'Say in a test what has become of an order: events of shipments, and adjustments',
      body: amendOrderBody,
      problemStatus: 422,
      response: agentOrderResponse,
      errors: ['not_found', 'missing', 'invalid'],
      forms: orderForms,
      handle: amend,
      file,
    }),
  );
};

/** In constant time. */
const checkSecret = ({ header }: Pick<RouteRequest, 'header'>, secret: string): void => {
  if (isSameToken(header('simulation-secret') ?? '', secret)) return;
  throw new ProtocolRejection({
    code: 'access_denied',
    text: 'The header Simulation-Secret is missing or wrong.',
  });
};

/** For tests of agents, where the settings say so (docs/rules/agent-orders.md#test-endpoints). */
export const orderTestRoutes = (deps: ModuleDeps): readonly Route[] => {
  const { enabled, simulationSecret } = deps.config.protocol.ucp.testEndpoints;
  if (!enabled) return [];
  const ship = createSimulateShipping(deps);
  const sink = createWebhookSink();
  const shared = { base: 'agent', service: 'command', caller: anyone, file } as const;
  const notices = '/testing/agents/{agentId}/webhooks/orders';
  return [
    ...amendRoutes(deps),
    route({
      ...shared,
      method: 'POST',
      path: '/testing/simulate-shipping/{orderId}',
      summary: 'Ship everything that is left of an order of an agent',
      schemas: { params: simulatedOrder },
      response: simulatedShipping,
      errors: ['access_denied', 'not_found', 'entity-not-found', 'status-not-possible', 'sale-not-confirmed'],
      handle: async (request) => {
        checkSecret(request, simulationSecret);
        const { params, actor, correlationId } = request;
        const meta = { correlationId, causationId: correlationId, actor };
        const position = await ship(params.orderId, meta);
        return { ...ok({ success: true, order_id: params.orderId, status: 'shipped' }), position };
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: notices,
      summary: 'Take what is sent to a test agent',
      schemas: { params: sinkParams, body: sentWebhook },
      response: webhookReceived,
      handle: ({ params, headers, body }) => {
        sink.add(params.agentId, { receivedAt: isoInstant(deps.clock.now()), headers: { ...headers }, body });
        return Promise.resolve(ok({ received: true }));
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: notices,
      summary: 'Show what a test agent was sent last',
      schemas: { params: sinkParams },
      response: receivedWebhooks,
      errors: ['access_denied'],
      handle: (request) => {
        checkSecret(request, simulationSecret);
        return Promise.resolve(ok({ items: sink.of(request.params.agentId) }));
      },
    }),
  ];
};
