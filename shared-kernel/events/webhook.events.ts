import { z } from 'zod';
import { defineEvents, secret, type EventOf } from './define-events.ts';
import { instant, text } from './fields.ts';

export const webhookAuthType = z.enum([
  'None',
  'HmacSha256',
  'HmacSha512',
  'BearerToken',
  'ApiKey',
  'BasicAuth',
]);
export type WebhookAuthType = z.output<typeof webhookAuthType>;

/** Whether deliveries are signed with the subscription's secret. */
export const isSigning = (authType: WebhookAuthType): boolean =>
  authType === 'HmacSha256' || authType === 'HmacSha512';

const settings = {
  name: text,
  /** May carry a key. Releases before wrote it in clear. */
  targetUrl: secret(text),
  isActive: z.boolean(),
  authType: webhookAuthType,
  authHeaderName: text.nullable(),
  /** Token, key or user:password, for the types that have one. */
  authHeaderValue: secret(text.nullable()),
  timeoutSeconds: z.int(),
  filterExpression: text.nullable(),
  /** Their values are credentials more often than not. Releases before wrote them in clear. */
  headers: secret(z.record(z.string(), z.string())),
  /** How many attempts may be under way to it at once. */
  maxConcurrent: z.int(),
  /** Signed as Standard Webhooks has it, too. */
  standardWebhooks: z.boolean(),
};

/** Webhook subscriptions (docs/rules/webhooks.md#subscriptions). Stream `webhookSubscription-<id>`. */
export const webhookEvents = defineEvents(
  'webhooks',
  {
    WebhookSubscribed: { ...settings, topic: text, signingSecret: secret(text), at: instant },
    WebhookSubscriptionChanged: { ...settings, at: instant },
    WebhookSecretRegenerated: { signingSecret: secret(text), at: instant },
    WebhookUnsubscribed: { at: instant },
  },
  { WebhookSubscribed: 2, WebhookSubscriptionChanged: 2 },
);
export type WebhookEvent = EventOf<typeof webhookEvents>;
