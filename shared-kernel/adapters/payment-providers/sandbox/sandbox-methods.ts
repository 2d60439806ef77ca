import type { PaymentMethodInfo, PaymentProvider } from '#ports/payment-provider.ts';
import { providerField } from '#values/provider-field.ts';

const plain = {
  isExpress: false,
  methodType: null,
  iconHtml: null,
  sdk: null,
  formFields: [],
} satisfies Partial<PaymentMethodInfo>;

/** The sandbox, regardless of its settings. */
export const sandboxInfo = {
  alias: 'sandbox',
  displayName: 'Sandbox',
  methods: [
    { ...plain, methodAlias: 'card', displayName: 'Card', integration: 'HostedFields' },
    { ...plain, methodAlias: 'redirect', displayName: 'Payment page', integration: 'Redirect' },
    { ...plain, methodAlias: 'widget', displayName: 'Widget', integration: 'Widget' },
    {
      ...plain,
      methodAlias: 'wallet',
      displayName: 'Wallet',
      integration: 'Widget',
      isExpress: true,
      methodType: 'wallet',
    },
  ],
  fields: [
    providerField('webhookSecret', 'Secret of its callbacks', 'secret', { isSecret: true }),
    providerField('authorisesFirst', 'Authorise a charge first, and capture it then', 'boolean', {
      defaultValue: 'false',
    }),
  ],
  supports: {
    refunds: true,
    partialRefunds: true,
    authAndCapture: true,
    paymentLinks: false,
    requiresCallback: false,
  },
  direct: null,
} satisfies Partial<PaymentProvider>;
