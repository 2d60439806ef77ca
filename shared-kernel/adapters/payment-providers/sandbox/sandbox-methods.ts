import type { PaymentMethodInfo, PaymentProvider } from '#ports/payment-provider.ts';

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
    {
      key: 'webhookSecret',
      label: 'Secret of its callbacks',
      type: 'Secret',
      isRequired: false,
      isSecret: true,
      defaultValue: null,
    },
    {
      key: 'authorisesFirst',
      label: 'Authorise a charge first, and capture it then',
      type: 'Boolean',
      isRequired: false,
      isSecret: false,
      defaultValue: 'false',
    },
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
