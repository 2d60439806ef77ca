import { derivedId } from '#kernel/ids.ts';
import type { AgentHandler, PaymentProvider } from '#ports/payment-provider.ts';
import type { ChargeOutcome } from '#ports/payment-requests.ts';

/** How a charge ends that is paid with a token (docs/rules/agents.md#test-handlers). */
const tokens: Readonly<Record<string, 'paid' | Extract<ChargeOutcome, { kind: 'refused' }>>> = {
  success_token: 'paid',
  fail_token: { kind: 'refused', code: 'card_declined', message: 'The card was declined.' },
  fraud_token: { kind: 'refused', code: 'fraud', message: 'The payment was refused as fraudulent.' },
};

/** No money is moved, and nothing is kept: a charge is named by its key, and so is a refund. */
const handler = (
  alias: string,
  displayName: string,
  methodType: string | null,
  agentHandler: AgentHandler,
): PaymentProvider => ({
  alias,
  displayName,
  methods: [
    {
      ...{ methodAlias: 'token', displayName, integration: 'HostedFields', isExpress: false, methodType },
      ...{ iconHtml: null, description: null, sdk: null, formFields: [] },
    },
  ],
  fields: [],
  supports: {
    refunds: true,
    partialRefunds: true,
    authAndCapture: false,
    paymentLinks: false,
    requiresCallback: false,
  },
  direct: null,
  agentHandler: { handlerId: alias, isForAgentsOnly: true, ...agentHandler },
  checkToken: (token) =>
    Object.hasOwn(tokens, token) ? null : `must be one of ${Object.keys(tokens).join(', ')}`,
  charge: async ({ idempotencyKey, source }): Promise<ChargeOutcome> => {
    const outcome = 'token' in source ? tokens[source.token] : undefined;
    if (outcome === 'paid')
      return { kind: 'completed', transactionId: `${alias}-${derivedId('test charge', idempotencyKey)}` };
    return outcome ?? { kind: 'refused', code: 'unknown_token', message: 'The token is unknown.' };
  },
  refund: async ({ idempotencyKey }) => ({
    kind: 'completed',
    transactionId: `${alias}-${derivedId('test refund', idempotencyKey)}`,
  }),
});

/** With which those who write agents test a shop; never in production, and never in its storefront. */
export const testHandlers: readonly PaymentProvider[] = [
  handler('mock_payment_handler', 'Test payment', null, { tokenOfCard: 'success_token' }),
  handler('google_pay', 'Google Pay (test)', 'card', {
    handlerName: 'com.google.pay',
    config: () => ({ environment: 'TEST' }),
  }),
  handler('shop_pay', 'Shop Pay (test)', 'shop_pay', {
    handlerName: 'com.shopify.shop_pay',
    config: () => ({ shop_id: 'test-shop' }),
  }),
];
