import type { PaymentMethodInfo, PaymentProvider, ProviderField } from '#ports/payment-provider.ts';

const field = (key: string, label: string, changes: Partial<ProviderField> = {}): ProviderField => ({
  key,
  label,
  type: 'Secret',
  isRequired: true,
  isSecret: true,
  defaultValue: null,
  ...changes,
});

const method = (
  methodAlias: string,
  displayName: string,
  integration: PaymentMethodInfo['integration'],
): PaymentMethodInfo => ({
  methodAlias,
  displayName,
  integration,
  isExpress: false,
  methodType: null,
  iconHtml: null,
  sdk: { sdkUrl: 'https://js.stripe.com/v3/', adapterUrl: null },
  formFields: [],
});

/** Stripe, regardless of its settings. */
export const stripeInfo = {
  alias: 'stripe',
  displayName: 'Stripe',
  methods: [
    method('card', 'Card', 'HostedFields'),
    method('checkout', 'Stripe Checkout', 'Redirect'),
    { ...method('wallet', 'Wallet', 'Widget'), isExpress: true, methodType: 'wallet' },
  ],
  fields: [
    field('secretKey', 'Secret key'),
    field('publishableKey', 'Publishable key', { type: 'Text', isSecret: false }),
    field('webhookSecret', 'Signing secret of its webhook'),
  ],
  supports: {
    refunds: true,
    partialRefunds: true,
    authAndCapture: true,
    paymentLinks: false,
    requiresCallback: true,
  },
  direct: null,
} satisfies Partial<PaymentProvider>;
