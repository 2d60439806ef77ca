import type { WebhookHealthEvent } from '#events/webhook-health.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { staffMessageOf, staffTopics } from '#topics/staff.topics.ts';
import { mailTopic, type MailMessage } from './mail-topic.ts';

const told = (event: Recorded<WebhookHealthEvent>): MailMessage => {
  const { entityType, entityId, data: notification } = staffMessageOf(event);
  return { entityType, entityId, notification };
};

/** To staff, as the operator's webhook tells it (docs/rules/webhooks.md#telling-staff). */
export const webhookMails = {
  'webhook.failing': mailTopic({ ...staffTopics['webhook.failing'], on: { WebhookReceiverFailed: told } }),
  'webhook.gave_up': mailTopic({ ...staffTopics['webhook.gave_up'], on: { WebhookDeliveriesGivenUp: told } }),
  'webhook.recovered': mailTopic({
    ...staffTopics['webhook.recovered'],
    on: { WebhookReceiverRecovered: told },
  }),
};
