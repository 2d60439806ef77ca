import type { DeliveredTopic } from '#topics/webhook-delivery.ts';

export const API_VERSION = '2024-01';

/** What a receiver gets, and what filters look at (docs/rules/webhooks.md#envelope). */
export interface Envelope {
  /** The delivery's id. */
  readonly id: string;
  readonly topic: DeliveredTopic;
  /** When it happened. ISO instant. */
  readonly timestamp: string;
  readonly api_version: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const envelopeOf = (
  id: string,
  { topic, data }: Pick<Envelope, 'topic' | 'data'>,
  timestamp: string,
): Envelope => ({ id, topic, timestamp, api_version: API_VERSION, data });

/** The body: compact JSON. Written once and kept; its UTF-8 bytes are what is signed and sent on every attempt. */
export const bodyOf = (envelope: Envelope): string => JSON.stringify(envelope);
