import { notFound } from '#kernel/entity.ts';
import type { WebhookReference, WebhookSubscription } from '#reference/webhooks.reference.ts';

/** Refuses with `entity-not-found`. */
export const known = (webhooks: Pick<WebhookReference, 'subscription'>, id: string): WebhookSubscription => {
  const subscription = webhooks.subscription(id);
  if (!subscription) throw notFound('webhook subscription');
  return subscription;
};
