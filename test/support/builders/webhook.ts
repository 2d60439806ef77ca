import { webhookEvents } from '#events/webhook.events.ts';
import type { WebhookSubscription } from '#reference/webhooks.reference.ts';
import { idNamed } from './basket.ts';

const at = '2026-03-01T09:00:00.000Z';

const settings = {
  name: 'Warehouse system',
  topic: 'basket.updated',
  targetUrl: 'https://receiver.example.com/hooks',
  isActive: true,
  authType: 'HmacSha256',
  authHeaderName: null,
  authHeaderValue: null,
  timeoutSeconds: 30,
  filterExpression: null,
  headers: {},
  maxConcurrent: 32,
  standardWebhooks: false,
  signingSecret: 'c2VjcmV0',
} as const;

/** An active subscription that signs with HMAC SHA-256; `given` says otherwise. */
export const subscriptionWith = (given: Partial<WebhookSubscription> = {}): WebhookSubscription => ({
  id: idNamed('subscription'),
  ...settings,
  dateCreated: at,
  dateUpdated: at,
  ...given,
});

/** The event that begins such a subscription. */
export const webhookSubscribed = (
  given: Partial<Parameters<typeof webhookEvents.create.WebhookSubscribed>[0]> = {},
) => webhookEvents.create.WebhookSubscribed({ ...settings, at, ...given });
