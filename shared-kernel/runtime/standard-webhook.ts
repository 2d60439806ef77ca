import { createHmac } from 'node:crypto';

/** What Standard Webhooks signs. */
export interface SignedMessage {
  readonly id: string;
  /** Unix seconds, as text. */
  readonly timestamp: string;
  readonly body: Buffer;
}

/** The signature `v1` of Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`. */
export const standardSignature = (key: Buffer, { id, timestamp, body }: SignedMessage): Buffer =>
  createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
