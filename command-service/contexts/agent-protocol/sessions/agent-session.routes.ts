import type { AgentRequest, DialectName } from '#agents/agent-request.ts';
import { UCP } from '#agents/commerce-protocol.ts';
import { orAsWritten } from '#agents/dialects.ts';
import type { ProtocolManager } from '#agents/protocol-manager.ts';
import { sessionForms } from '#agents/forms/session-forms.ts';
import { createSessionBody, updateSessionBody } from '#contracts/agent-session.contract.ts';
import { sessionResponse } from '#contracts/agent-session-response.ts';
import { agentRoutes } from '#http/agent-route.ts';
import { agent, knownAgent, type Route } from '#http/route.ts';
import type { Config } from '#runtime/config.ts';
import { lineErrors } from '../shown/judge-lines.ts';

export interface SessionRouteDeps {
  readonly protocols: ProtocolManager;
  readonly protocol: Config['protocol'];
  /** Null: the agent has no such session. */
  readonly dialectOf: (asking: AgentRequest, sessionId: string) => Promise<DialectName | null>;
}

const path = '/api/v1/checkout-sessions';
const common = {
  service: 'command',
  response: sessionResponse,
  forms: sessionForms,
  file: import.meta.url,
} as const;

/** Checkout sessions of agents (docs/rules/agent-sessions.md). Paying has a file of its own. */
export const sessionRoutes = ({ protocols, protocol, dialectOf }: SessionRouteDeps): readonly Route[] => {
  const { ucp } = protocol;
  if (!ucp.capabilities.checkout) return [];
  const { ask } = agentRoutes(protocol);
  const one = { ...common, path: `${path}/{id}`, caller: agent, ownDialect: dialectOf };
  return [
    ask({
      ...common,
      method: 'POST',
      path,
      caller: knownAgent,
      summary: 'Begin a checkout session',
      body: createSessionBody(ucp.limits),
      status: 201,
      returnsExisting: true,
      errors: [...lineErrors, 'not_found', 'identity_required'],
      handle: protocols.asking(UCP, 'createSession'),
    }),
    ask({
      ...one,
      forms: orAsWritten(sessionForms),
      method: 'GET',
      summary: 'A checkout session of the agent',
      errors: ['not_found', 'identity_required'],
      handle: protocols.asking(UCP, 'getSession'),
    }),
    ask({
      ...one,
      method: 'PUT',
      summary: 'Change parts of a checkout session; what is not named stays',
      body: updateSessionBody(ucp.limits),
      errors: [...lineErrors, 'not_found', 'identity_required', 'checkout_not_modifiable'],
      handle: protocols.asking(UCP, 'updateSession'),
    }),
    ask({
      ...one,
      method: 'POST',
      path: `${path}/{id}/cancel`,
      summary: 'Give a checkout session up',
      errors: ['not_found', 'identity_required', 'checkout_not_modifiable'],
      handle: protocols.asking(UCP, 'cancelSession'),
    }),
  ];
};
