import type { AgentRequest, DialectName } from '#agents/agent-request.ts';
import { UCP } from '#agents/commerce-protocol.ts';
import type { ProtocolManager } from '#agents/protocol-manager.ts';
import { cartForms } from '#agents/forms/cart-forms.ts';
import { cartBody } from '#contracts/agent-cart.contract.ts';
import { cartResponse } from '#contracts/agent-cart-response.ts';
import { agentRoutes } from '#http/agent-route.ts';
import { agent, knownAgent, type Route } from '#http/route.ts';
import type { Config } from '#runtime/config.ts';
import { lineErrors } from '../shown/judge-lines.ts';

export interface CartRouteDeps {
  readonly protocols: ProtocolManager;
  readonly protocol: Config['protocol'];
  /** Null: the agent has no such cart. */
  readonly dialectOf: (asking: AgentRequest, cartId: string) => Promise<DialectName | null>;
}

const path = '/api/v1/carts';
const common = {
  service: 'command',
  response: cartResponse,
  forms: cartForms,
  file: import.meta.url,
} as const;

/** Carts of agents (docs/rules/agent-carts.md). */
export const cartRoutes = ({ protocols, protocol, dialectOf }: CartRouteDeps): readonly Route[] => {
  const { ucp } = protocol;
  if (!ucp.capabilities.cart) return [];
  const { ask } = agentRoutes(protocol);
  const one = { ...common, path: `${path}/{id}`, caller: agent, ownDialect: dialectOf };
  return [
    ask({
      ...common,
      method: 'POST',
      path,
      caller: knownAgent,
      summary: 'Begin a cart',
      body: cartBody(ucp.limits),
      status: 201,
      errors: lineErrors,
      handle: protocols.asking(UCP, 'createCart'),
    }),
    ask({
      ...one,
      method: 'GET',
      summary: 'A cart of the agent',
      errors: ['not_found'],
      handle: protocols.asking(UCP, 'getCart'),
    }),
    ask({
      ...one,
      method: 'PUT',
      summary: 'Replace a cart as a whole; what is not named is gone',
      body: cartBody(ucp.limits),
      errors: [...lineErrors, 'not_found', 'cart_not_modifiable'],
      handle: protocols.asking(UCP, 'updateCart'),
    }),
    ask({
      ...one,
      method: 'POST',
      path: `${path}/{id}/cancel`,
      summary: 'Give a cart up; a checkout made from it stays',
      errors: ['not_found'],
      handle: protocols.asking(UCP, 'cancelCart'),
    }),
  ];
};
