import { derivedId } from '#kernel/ids.ts';
import type { WebhookReference, WebhookSubscription } from '#reference/webhooks.reference.ts';
import { MOST_CONCURRENT } from '#values/webhook-concurrency.ts';

/** Who is sent deliveries: a subscription, or the operator's webhook. */
export type Receiver = Omit<WebhookSubscription, 'topic'>;

export interface Receivers extends Pick<WebhookReference, 'onChanged'> {
  subscription(id: string): Receiver | undefined;
  subscriptions(): readonly Receiver[];
}

/** Section `Webhooks.Operator` of the configuration (docs/rules/webhooks.md#telling-staff). */
export interface OperatorSettings {
  readonly url: string | null;
  readonly secret: string | null;
}

/** Stands in its deliveries where other deliveries name their subscription. */
export const OPERATOR_WEBHOOK = derivedId('operator webhook');

/** The operator's webhook as a receiver; null: there is none. */
export const operatorWebhook = ({ url, secret }: OperatorSettings, timeoutSeconds: number): Receiver | null =>
  url === null || secret === null
    ? null
    : {
        id: OPERATOR_WEBHOOK,
        name: 'Operator',
        targetUrl: url,
        isActive: true,
        authType: 'HmacSha256',
        ...{ authHeaderName: null, authHeaderValue: null, headers: {}, filterExpression: null },
        timeoutSeconds,
        maxConcurrent: MOST_CONCURRENT,
        standardWebhooks: true,
        signingSecret: secret,
        ...{ dateCreated: '', dateUpdated: '' },
      };

/**
 * The subscriptions and the operator's webhook, which is none of them: it is in no list, and nothing is told of how it
 * fares, so that failing to tell staff leads to nothing more to tell.
 */
export const withOperator = (webhooks: WebhookReference, operator: Receiver | null): Receivers =>
  operator === null
    ? webhooks
    : {
        subscription: (id) => (id === operator.id ? operator : webhooks.subscription(id)),
        subscriptions: () => [...webhooks.subscriptions(), operator],
        onChanged: (listener) => webhooks.onChanged(listener),
      };
