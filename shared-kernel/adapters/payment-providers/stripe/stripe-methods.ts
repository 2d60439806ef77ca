import type { PaymentMethodInfo, PaymentProvider } from '#ports/payment-provider.ts';
import { providerField } from '#values/provider-field.ts';
import { captureField } from '../capture-field.ts';
import { methodIcons } from '../method-icons.ts';

const secretKey = { isRequired: true, isSecret: true };

const method = (
  methodAlias: string,
  displayName: string,
  integration: PaymentMethodInfo['integration'],
  { iconHtml, description }: Pick<PaymentMethodInfo, 'iconHtml' | 'description'>,
): PaymentMethodInfo => ({
  methodAlias,
  displayName,
  integration,
  isExpress: false,
  methodType: null,
  iconHtml,
  description,
  sdk: { sdkUrl: 'https://js.stripe.com/v3/', adapterUrl: null },
  formFields: [],
});

const card = { iconHtml: methodIcons.card, description: 'Pay by credit or debit card.' };
const page = { iconHtml: methodIcons.page, description: 'Pay at the secure page of Stripe.' };
const wallet = { iconHtml: methodIcons.wallet, description: 'Pay with the wallet of your phone or browser.' };

/** Stripe, regardless of its settings. */
export const stripeInfo = {
  alias: 'stripe',
  displayName: 'Stripe',
  methods: [
    { ...method('card', 'Card', 'HostedFields', card), startsIntent: true },
    method('checkout', 'Stripe Checkout', 'Redirect', page),
    { ...method('wallet', 'Wallet', 'Widget', wallet), isExpress: true, methodType: 'wallet' },
  ],
  fields: [
    providerField('secretKey', 'Secret key', 'secret', secretKey),
    providerField('publishableKey', 'Publishable key', 'text', { isRequired: true }),
    providerField('webhookSecret', 'Signing secret of its webhook', 'secret', secretKey),
    captureField,
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
