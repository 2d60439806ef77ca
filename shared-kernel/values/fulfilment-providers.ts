import { providerField, shownConfiguration, type ProviderField } from './provider-field.ts';

/** What is known of a kind of fulfilment provider without asking it. */
export interface FulfilmentProviderDescription {
  readonly key: string;
  readonly displayName: string;
  readonly icon: string | null;
  readonly iconSvg: string | null;
  readonly description: string;
  readonly setupInstructions: string;
  readonly supportsOrderSubmission: boolean;
  readonly supportsOrderCancellation: boolean;
  readonly supportsWebhooks: boolean;
  readonly supportsPolling: boolean;
  readonly supportsProductSync: boolean;
  readonly supportsInventorySync: boolean;
  /** An order that it takes is on its way as far as the shop is concerned: a shipment is made of it at once. */
  readonly createsShipmentOnSubmission: boolean;
  readonly apiStyle: 'Rest' | 'GraphQL' | 'Sftp';
  readonly fields: readonly ProviderField[];
}

export const DEFAULT_TIMEOUT_SECONDS = 10;
export const MOST_TIMEOUT_SECONDS = 60;

const timeout = providerField('timeoutSeconds', 'How long an answer is waited for', 'number', {
  defaultValue: String(DEFAULT_TIMEOUT_SECONDS),
  range: { from: 1, to: MOST_TIMEOUT_SECONDS, isWhole: true },
});

/** The ways on which a supplier hears of an order. */
export const supplierTransports = ['email', 'http'] as const;

export const genericHttp: FulfilmentProviderDescription = {
  key: 'generic-http',
  displayName: 'A fulfilment service over HTTP',
  icon: null,
  iconSvg: null,
  description: 'A service that stores, picks and sends, and speaks JSON over HTTP.',
  setupInstructions:
    'Enter the address of the service and its key, and have it call /shop/webhooks/fulfilment/generic-http.',
  supportsOrderSubmission: true,
  supportsOrderCancellation: true,
  supportsWebhooks: true,
  supportsPolling: true,
  supportsProductSync: true,
  supportsInventorySync: true,
  createsShipmentOnSubmission: false,
  apiStyle: 'Rest',
  fields: [
    providerField('baseUrl', 'Address of the service', 'url', { isRequired: true }),
    providerField('apiKey', 'Key that the service wants to see', 'text', { isSecret: true }),
    providerField('webhookSecret', 'Secret that the service signs its callbacks with', 'text', {
      isSecret: true,
    }),
    timeout,
  ],
};

export const supplierDirect: FulfilmentProviderDescription = {
  key: 'supplier-direct',
  displayName: 'Straight to the supplier',
  icon: null,
  iconSvg: null,
  description: 'The supplier of the goods gets the order by mail or over HTTP, and sends it.',
  setupInstructions:
    'Leave the mail address empty to write to the contact of each supplier. Over HTTP the order is posted as JSON.',
  supportsOrderSubmission: true,
  supportsOrderCancellation: false,
  supportsWebhooks: false,
  supportsPolling: false,
  supportsProductSync: false,
  supportsInventorySync: false,
  createsShipmentOnSubmission: true,
  apiStyle: 'Rest',
  fields: [
    providerField('transport', 'How the order goes there: email or http', 'select', {
      defaultValue: 'email',
      options: supplierTransports,
    }),
    providerField('email', 'Mail address; empty: that of the supplier', 'email'),
    providerField('url', 'Address that orders are posted to', 'url'),
    providerField('apiKey', 'Key that goes with them', 'text', { isSecret: true }),
    timeout,
  ],
};

/** Every kind of fulfilment provider that there is an adapter for (docs/rules/fulfilment.md#providers). */
export const fulfilmentProviders: readonly FulfilmentProviderDescription[] = [genericHttp, supplierDirect];

export const fulfilmentProviderOf = (key: string): FulfilmentProviderDescription | undefined =>
  fulfilmentProviders.find((one) => one.key === key);

/** A configuration as staff may read it. */
export const maskedConfiguration = (
  providerKey: string,
  configuration: Readonly<Record<string, string>>,
): Record<string, string> =>
  shownConfiguration(fulfilmentProviderOf(providerKey)?.fields ?? [], configuration);
