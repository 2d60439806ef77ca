import type { PaymentMethodInfo, PaymentProvider } from '#ports/payment-provider.ts';
import { providerField } from '#values/provider-field.ts';
import { captureField } from '../capture-field.ts';
import { methodIcons } from '../method-icons.ts';

const plain = {
  isExpress: false,
  methodType: null,
  sdk: null,
  formFields: [],
} satisfies Partial<PaymentMethodInfo>;

/** The sandbox, regardless of its settings. */
export const sandboxInfo = {
  alias: 'sandbox',
  displayName: 'Sandbox',
  methods: [
    {
      ...plain,
      methodAlias: 'card',
      displayName: 'Card',
      integration: 'HostedFields',
      iconHtml: methodIcons.card,
      description: 'A card of the sandbox. No money is moved.',
    },
    {
      ...plain,
      methodAlias: 'redirect',
      displayName: 'Payment page',
      integration: 'Redirect',
      iconHtml: methodIcons.page,
      description: 'Pay at a page of the sandbox. No money is moved.',
    },
    {
      ...plain,
      methodAlias: 'widget',
      displayName: 'Widget',
      integration: 'Widget',
      iconHtml: methodIcons.wallet,
      description: 'Pay in a widget of the sandbox. No money is moved.',
    },
    {
      ...plain,
      methodAlias: 'wallet',
      displayName: 'Wallet',
      integration: 'Widget',
      isExpress: true,
      methodType: 'wallet',
      iconHtml: methodIcons.wallet,
      description: 'A wallet of the sandbox. No money is moved.',
    },
  ],
  fields: [
    providerField('webhookSecret', 'Secret of its callbacks', 'secret', { isSecret: true }),
    providerField('authorisesFirst', 'Authorise a charge first, and capture it then', 'boolean', {
      defaultValue: 'false',
    }),
    captureField,
  ],
  supports: {
    refunds: true,
    partialRefunds: true,
    authAndCapture: true,
    paymentLinks: false,
    requiresCallback: false,
  },
  direct: null,
  agentHandler: { config: () => ({ environment: 'sandbox' }) },
} satisfies Partial<PaymentProvider>;
