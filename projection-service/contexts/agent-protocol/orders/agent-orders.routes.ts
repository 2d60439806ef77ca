import { UCP } from '#agents/commerce-protocol.ts';
import { orderForms } from '#agents/forms/order-forms.ts';
import { agentOrderResponse } from '#contracts/agent-order.contract.ts';
import { agentRoutes } from '#http/agent-route.ts';
import { agent, type Route } from '#http/route.ts';
import type { ProjectionDeps } from '../../../engine/service-deps.ts';
import { createGetOrder, orderViews } from './get-order.ts';

/** What agents have bought (docs/rules/agent-orders.md). */
export const agentOrdersRoutes = (deps: ProjectionDeps): readonly Route[] => {
  const { ucp, protocols } = deps;
  if (ucp?.capabilities.order !== true) return [];
  protocols.register({ alias: UCP, enabled: true, getOrder: createGetOrder(deps) });
  const { ask } = agentRoutes({ ucp });
  const paths = ['/api/v1/orders/{id}', ...(ucp.testEndpoints.enabled ? ['/orders/{id}'] : [])];
  return paths.map((path) =>
    ask({
      method: 'GET',
      path,
      service: 'projection',
      caller: agent,
      summary: 'An order that the agent has placed, with what became of it',
      response: agentOrderResponse,
      errors: ['not_found', 'service_unavailable'],
      reads: orderViews,
      forms: orderForms,
      handle: protocols.asking(UCP, 'getOrder'),
      file: import.meta.url,
    }),
  );
};
