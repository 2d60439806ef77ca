import { UCP } from '#agents/commerce-protocol.ts';
import { sessionForms } from '#agents/forms/session-forms.ts';
import { sessionResponse } from '#contracts/agent-session-response.ts';
import { completeSessionBody } from '#contracts/agent-session.contract.ts';
import { agentRoutes } from '#http/agent-route.ts';
import { payingAgent, type Route } from '#http/route.ts';
import type { SessionRouteDeps } from '../sessions/agent-session.routes.ts';

/** Where agents pay (docs/rules/agent-sessions.md#completing). */
export const completeRoutes = ({ protocols, protocol, dialectOf }: SessionRouteDeps): readonly Route[] => {
  if (!protocol.ucp.capabilities.checkout) return [];
  const { ask } = agentRoutes(protocol);
  return [
    ask({
      method: 'POST',
      path: '/api/v1/checkout-sessions/{id}/complete',
      service: 'command',
      caller: payingAgent,
      summary: 'Place the order of a checkout session and pay for it',
      body: completeSessionBody,
      response: sessionResponse,
      errors: [
        ...[
          'not_found',
          'identity_required',
          'checkout_not_modifiable',
          'fulfillment_required',
          'missing',
          'invalid',
        ],
        ...['address_undeliverable', 'account_required', 'item_unavailable', 'invalid_payment_handler'],
        ...['mandate_required', 'agent_missing_key', 'mandate_invalid_signature', 'mandate_expired'],
        ...['merchant_authorization_missing', 'merchant_authorization_invalid', 'mandate_scope_mismatch'],
        ...['out_of_stock', 'payment_failed', 'payment_unavailable', 'service_unavailable', 'cancelled'],
      ],
      forms: sessionForms,
      ownDialect: dialectOf,
      handle: protocols.asking(UCP, 'completeSession'),
      file: import.meta.url,
    }),
  ];
};
