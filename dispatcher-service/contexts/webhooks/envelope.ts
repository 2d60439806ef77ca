import { derivedId } from '#kernel/ids.ts';
import type { TopicKey, TopicMessage } from '#topics/topics.ts';

export const API_VERSION = '2024-01';

/** What a receiver gets, and what filters look at (docs/rules/webhooks.md#envelope). */
export interface Envelope {
  /** The delivery's id. */
  readonly id: string;
  readonly topic: TopicKey;
  /** When it happened. ISO instant. */
  readonly timestamp: string;
  readonly api_version: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * One per subscription, event and message of the event, so that a log that is read twice delivers once: a UUIDv8 of the
 * time in the event's id and a hash. Deliveries of the same time thus lie side by side in every index.
 */
export const deliveryIdOf = (subscriptionId: string, eventId: string, index: number): string => {
  const time = eventId.slice(0, 13);
  const hash = derivedId('delivery', subscriptionId, eventId, index).slice(15);
  return `${time}-8${hash}`;
};

export const envelopeOf = (
  id: string,
  { topic, data }: Pick<TopicMessage, 'topic' | 'data'>,
  timestamp: string,
): Envelope => ({ id, topic, timestamp, api_version: API_VERSION, data });

/** The body: compact JSON. Written once and kept; its UTF-8 bytes are what is signed and sent on every attempt. */
export const bodyOf = (envelope: Envelope): string => JSON.stringify(envelope);
