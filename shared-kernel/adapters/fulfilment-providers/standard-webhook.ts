import { timingSafeEqual } from 'node:crypto';
import { standardSignature } from '#runtime/standard-webhook.ts';
import type { RawFulfilmentCallback } from '#ports/fulfilment-provider.ts';

/** By how much a message may be older or newer than the shop's clock says. */
const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';

/** Secrets with the prefix are base64, others are taken as they are. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');

const isEqual = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected);

/**
 * Whether a message is signed as Standard Webhooks has it: HMAC-SHA256 over `id.timestamp.body`, any one of several
 * signatures is enough (docs/guides/writing-a-fulfilment-provider.md#callbacks).
 */
export const isSignedMessage = ({ body, headers, now }: RawFulfilmentCallback, secret: string): boolean => {
  const id = headers['webhook-id'] ?? '';
  const timestamp = headers['webhook-timestamp'] ?? '';
  const key = keyOf(secret);
  if (id === '' || key.length === 0 || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const expected = standardSignature(key, { id, timestamp, body });
  return (headers['webhook-signature'] ?? '')
    .split(' ')
    .some((part) => part.startsWith('v1,') && isEqual(Buffer.from(part.slice(3), 'base64'), expected));
};
