import { createHmac } from 'node:crypto';
import { standardSignature, type SignedMessage } from '#runtime/standard-webhook.ts';
import { isReservedHeader } from '#values/webhook-headers.ts';
import type { Receiver } from './operator-webhook.ts';

/** Header fields of a request by name. */
export type Headers = Readonly<Record<string, string>>;

type Credentials = Pick<Receiver, 'authType' | 'authHeaderName' | 'authHeaderValue' | 'signingSecret'>;

/**
 * Base64 of the HMAC over the raw bytes of the body; the key is the secret's text as it is
 * (docs/rules/webhooks.md#credentials).
 */
export const signatureOf = (algorithm: 'sha256' | 'sha512', secret: string, body: Buffer): string =>
  createHmac(algorithm, secret).update(body).digest('base64');

/** The header fields by which the receiver knows that it was us. */
export const authHeaders = (credentials: Credentials, body: Buffer): Headers => {
  const { authType, authHeaderName, authHeaderValue, signingSecret } = credentials;
  switch (authType) {
    case 'None':
      return {};
    case 'HmacSha256':
      return { 'X-Service-Hmac-SHA256': signatureOf('sha256', signingSecret, body) };
    case 'HmacSha512':
      return { 'X-Service-Hmac-SHA512': signatureOf('sha512', signingSecret, body) };
    case 'BearerToken':
      return { Authorization: `Bearer ${authHeaderValue ?? ''}` };
    case 'ApiKey':
      return authHeaderValue ? { [authHeaderName ?? 'X-Api-Key']: authHeaderValue } : {};
    case 'BasicAuth':
      return { Authorization: `Basic ${Buffer.from(authHeaderValue ?? '').toString('base64')}` };
  }
};

/** What every request of ours carries; `timestamp` in Unix seconds. */
const serviceHeaders = (topic: string, timestamp: string): Record<string, string> => ({
  'Content-Type': 'application/json; charset=utf-8',
  'User-Agent': 'Service-Webhooks/1.0',
  'X-Service-Topic': topic,
  'X-Service-Timestamp': timestamp,
});

/** Custom fields come last and override nothing. */
const withCustom = (own: Headers, custom: Headers): Headers => {
  const taken = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const added = Object.entries(custom).filter(
    ([name]) => !isReservedHeader(name) && !taken.has(name.toLowerCase()),
  );
  return { ...own, ...Object.fromEntries(added) };
};

/** Keyed with the bytes for which the secret stands (docs/rules/webhooks.md#credentials). */
const standardHeaders = (secret: string, message: SignedMessage): Headers => {
  const signature = standardSignature(Buffer.from(secret, 'base64'), message);
  return {
    'webhook-id': message.id,
    'webhook-timestamp': message.timestamp,
    'webhook-signature': `v1,${signature.toString('base64')}`,
  };
};

export interface RequestFacts {
  readonly topic: string;
  readonly deliveryId: string;
  readonly body: Buffer;
  /** The shop's time in milliseconds. */
  readonly now: number;
  readonly isTest: boolean;
}

/** All header fields of one attempt (docs/rules/webhooks.md#envelope). */
export const requestHeaders = (receiver: Receiver, facts: RequestFacts): Headers => {
  const { topic, deliveryId, body, now, isTest } = facts;
  const timestamp = String(Math.floor(now / 1000));
  const message = { id: deliveryId, timestamp, body };
  const own = {
    ...serviceHeaders(topic, timestamp),
    'X-Service-Delivery-Id': deliveryId,
    ...(isTest && { 'X-Service-Test': 'true' }),
    ...authHeaders(receiver, body),
    ...(receiver.standardWebhooks && standardHeaders(receiver.signingSecret, message)),
  };
  return withCustom(own, receiver.headers);
};

/** The header fields of a ping: unsigned, it only asks whether the address responds. */
export const pingHeaders = (now: number): Headers => serviceHeaders('ping', String(Math.floor(now / 1000)));
