import type { PaymentMethodInfo, PaymentProvider } from '#ports/payment-provider.ts';
import { providerField } from '#values/provider-field.ts';

const secretKey = { isRequired: true, isSecret: true };

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
    providerField('secretKey', 'Secret key', 'secret', secretKey),
    providerField('publishableKey', 'Publishable key', 'text', { isRequired: true }),
    providerField('webhookSecret', 'Signing secret of its webhook', 'secret', secretKey),
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
