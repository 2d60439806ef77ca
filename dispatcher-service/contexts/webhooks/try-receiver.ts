import { deliveriesCollection, type Delivery } from '#topics/webhook-delivery.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Sender, SendOutcome } from '#ports/sender.ts';
import { targetNotAllowed } from '#runtime/send.ts';
import { withoutSecretTexts } from '#values/secret-address.ts';
import type { WebhookSubscription } from '#reference/webhooks.reference.ts';
import type { Attempts } from './attempt-delivery.ts';
import { failureMessage, isSuccess } from '#topics/delivery-outcome.ts';
import { newDelivery, type DeliverySettings } from './delivery.ts';
import { bodyOf, envelopeOf } from './envelope.ts';
import { pingHeaders } from './signature.ts';
import { namedTopics } from '#topics/topics.ts';

/** How trying a receiver out went (docs/rules/webhooks.md#trying-out). */
export interface Trial {
  readonly success: boolean;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  readonly errorMessage: string | null;
  readonly durationMs: number;
  readonly deliveryId: string | null;
}

export interface TrialDeps {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly attempts: Pick<Attempts, 'send'>;
  readonly sender: Pick<Sender, 'send'>;
  readonly settings: DeliverySettings;
}

const PING_MILLISECONDS = 10_000;
const SHOWN_CHARACTERS = 10_000;

const trialOf = (outcome: SendOutcome, deliveryId: string | null): Trial => {
  const success = isSuccess(outcome);
  return {
    success,
    statusCode: outcome.statusCode,
    responseBody: outcome.body?.slice(0, SHOWN_CHARACTERS) ?? null,
    errorMessage: success ? null : failureMessage(outcome),
    durationMs: Math.round(outcome.durationMs),
    deliveryId,
  };
};

const notSent = (errorMessage: string, deliveryId: string | null): Trial => ({
  success: false,
  statusCode: null,
  responseBody: null,
  errorMessage,
  durationMs: 0,
  deliveryId,
});

/** A row that is under way from the start, so that no worker takes it up. */
const testDelivery = (
  { id: subscriptionId, topic }: WebhookSubscription,
  settings: DeliverySettings,
  now: number,
): Delivery => {
  const id = newId();
  const data = { ...namedTopics.get(topic)?.sample, test: true };
  const requestBody = bodyOf(envelopeOf(id, { topic, data }, isoInstant(now)));
  const queued = {
    _id: id,
    subscriptionId,
    topic,
    entityType: null,
    entityId: null,
    requestBody,
    isTest: true,
  };
  const row = newDelivery(queued, settings, now);
  if (row.status !== 'Pending') return row;
  return { ...row, status: 'Sending', dueAt: null, dateSent: isoInstant(now), attemptNumber: 1 };
};

/**
 * Sends the topic's sample to a subscription, active or not, and waits for the outcome. It stands in the log of
 * deliveries and is not tried again (docs/rules/webhooks.md#trying-out). Errors: `EngineUnavailable`.
 */
export const sendTest = async (
  { stateStore, clock, attempts, settings }: TrialDeps,
  subscription: WebhookSubscription,
): Promise<Trial> => {
  const row = testDelivery(subscription, settings, clock.now());
  await stateStore.insertIfAbsent(deliveriesCollection, row);
  if (row.status !== 'Sending') return notSent(row.errorMessage ?? '', row._id);
  const { outcome, delivery } = await attempts.send(row);
  return outcome ? trialOf(outcome, row._id) : notSent(delivery?.errorMessage ?? 'Interrupted', row._id);
};

/** Asks whether an address responds; unsigned, and nothing is kept. */
export const ping = async (
  { clock, sender }: Pick<TrialDeps, 'clock' | 'sender'>,
  url: string,
): Promise<Trial> => {
  const now = clock.now();
  const body = Buffer.from(JSON.stringify({ ping: true, timestamp: isoInstant(now) }));
  const outcome = await sender.send({
    targetUrl: url,
    headers: pingHeaders(now),
    body,
    timeoutMs: PING_MILLISECONDS,
  });
  const error = outcome.error?.replace(targetNotAllowed, 'Invalid URL:') ?? null;
  return trialOf({ ...outcome, error, body: outcome.body && withoutSecretTexts(outcome.body, [url]) }, null);
};
