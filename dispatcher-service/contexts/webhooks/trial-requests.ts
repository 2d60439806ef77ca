import { isoInstant } from '#kernel/clock.ts';
import type { WebhookSubscription } from '#reference/webhooks.reference.ts';
import { bodyOf, envelopeOf } from './envelope.ts';
import type { QueuedDelivery } from './delivery.ts';
import { samplePayloads } from './sample-payloads.ts';
import type { OutgoingRequest } from './send.ts';
import { pingHeaders } from './signature.ts';

const pingTimeoutMs = 10_000;

/** A delivery with the topic's sample, to try a receiver out (decisions, backoffice 1.8). `now`: the shop's time, ms. */
export const testDelivery = (
  { id: subscriptionId, topic }: Pick<WebhookSubscription, 'id' | 'topic'>,
  deliveryId: string,
  now: number,
): QueuedDelivery => {
  const data = { ...samplePayloads[topic], test: true };
  const requestBody = bodyOf(envelopeOf(deliveryId, { topic, data }, isoInstant(now)));
  return {
    _id: deliveryId,
    subscriptionId,
    topic,
    entityType: null,
    entityId: null,
    requestBody,
    isTest: true,
  };
};

/** Asks whether anybody answers under an address: no signature, no event, no row. */
export const pingRequest = (targetUrl: string, now: number): OutgoingRequest => ({
  targetUrl,
  headers: pingHeaders(now),
  body: Buffer.from(JSON.stringify({ ping: true, timestamp: isoInstant(now) })),
  timeoutMs: pingTimeoutMs,
});
