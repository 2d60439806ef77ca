/**
 * Specified and not mounted yet, each with a line of its own: what is mounted must not stand here.
 */
export const endpointsToCome: readonly string[] = [
  // checkout
  // accounts
  // payments
  // recovery
  // agents
  // reporting
  // orders
  // fulfilment
  // customers
  // reports and proof
  // lost carts, mails and webhooks
  // agents who sign in, or speak otherwise
  'GET /.well-known/acp.json',
  'POST /acp/checkout_sessions',
  'GET /acp/checkout_sessions/{id}',
  'POST /acp/checkout_sessions/{id}',
  'POST /acp/checkout_sessions/{id}/complete',
  'POST /acp/checkout_sessions/{id}/cancel',
  'POST /api/v1/mcp',
];
