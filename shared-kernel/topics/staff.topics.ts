import type { WebhookHealthEvent } from '#events/webhook-health.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { idOf } from '#values/stream-name.ts';
import { sampleAt, sampleId, sampleLater } from './samples.ts';

const sample = {
  subscriptionId: sampleId('webhook subscription'),
  subscriptionName: 'Accounting',
  topic: 'invoice.paid',
  targetUrl: 'https://accounting.example.com/hooks',
};
const errorMessage = 'The receiver answered with status 500';

/** What staff are told of, by mail and at the operator's webhook: no integrator can subscribe to it. */
export const staffTopics = {
  'webhook.failing': {
    displayName: 'Webhook Failing',
    description: 'Ten attempts of a webhook subscription in a row failed.',
    sample: { ...sample, failuresInARow: 10, errorMessage, date: sampleAt },
  },
  'webhook.gave_up': {
    displayName: 'Webhook Gave Up',
    description: 'Deliveries of a webhook subscription are given up after their last attempt.',
    sample: { ...sample, deliveriesGivenUp: 3, errorMessage, date: sampleAt },
  },
  'webhook.recovered': {
    displayName: 'Webhook Recovered',
    description: 'The receiver of a webhook subscription takes deliveries again.',
    sample: { ...sample, troubledSince: sampleAt, date: sampleLater },
  },
} as const;

export type StaffTopicKey = keyof typeof staffTopics;

const topicsByType = {
  WebhookReceiverFailed: 'webhook.failing',
  WebhookDeliveriesGivenUp: 'webhook.gave_up',
  WebhookReceiverRecovered: 'webhook.recovered',
} as const satisfies Readonly<Record<WebhookHealthEvent['type'], StaffTopicKey>>;

/** The types of the events that staff are told of, and under which topics. */
export const staffEventTypes: ReadonlyMap<string, readonly StaffTopicKey[]> = new Map(
  Object.entries(topicsByType).map(([type, topic]) => [type, [topic]]),
);

const figuresOf = (event: WebhookHealthEvent): Readonly<Record<string, unknown>> => {
  switch (event.type) {
    case 'WebhookReceiverFailed':
      return { failuresInARow: event.data.failuresInARow, errorMessage: event.data.errorMessage };
    case 'WebhookDeliveriesGivenUp':
      return { deliveriesGivenUp: event.data.deliveries, errorMessage: event.data.errorMessage };
    case 'WebhookReceiverRecovered':
      return { troubledSince: event.data.troubledSince };
  }
};

export interface StaffMessage {
  readonly topic: StaffTopicKey;
  readonly entityType: string;
  readonly entityId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What staff are told of an event. Pure: a replay says the same. */
export const staffMessageOf = (event: Recorded<WebhookHealthEvent>): StaffMessage => {
  const subscriptionId = idOf(event.stream);
  const { name: subscriptionName, topic, targetUrl, at: date } = event.data;
  const data = { subscriptionId, subscriptionName, topic, targetUrl, ...figuresOf(event), date };
  return {
    topic: topicsByType[event.type],
    entityType: 'WebhookSubscription',
    entityId: subscriptionId,
    data,
  };
};
