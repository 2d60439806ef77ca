import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { normalEmail } from '#values/email-address.ts';
import { keyFor } from './keys.ts';

/**
 * Tokens by which the reader of a recovery mail ends such mails. A token carries a keyed hash of the address that the
 * mail went to: it needs no record, works when everything about its owner is forgotten, and never ends.
 */
export interface UnsubscribeTokens {
  /** 43 characters. */
  tokenOf(email: string): string;
  /** What is kept of an address that wants no more mails. */
  hashOf(email: string): string;
  /** The hash of the address that a token is for; null for what this shop did not issue. In constant time. */
  read(token: string): string | null;
}

const form = /^[\w-]{43}$/;
const HALF = 16;

export const createUnsubscribeTokens = (applicationKey: Buffer): UnsubscribeTokens => {
  const addressKey = createSecretKey(keyFor(applicationKey, 'unsubscribed addresses'));
  const signatureKey = createSecretKey(keyFor(applicationKey, 'unsubscribe tokens'));

  const addressHash = (email: string): Buffer =>
    createHmac('sha256', addressKey).update(normalEmail(email)).digest().subarray(0, HALF);
  const signed = (hash: Buffer): Buffer => {
    const signature = createHmac('sha256', signatureKey).update(hash).digest();
    return Buffer.concat([hash, signature.subarray(0, HALF)]);
  };

  return {
    tokenOf: (email) => signed(addressHash(email)).toString('base64url'),
    hashOf: (email) => addressHash(email).toString('base64url'),
    read: (token) => {
      if (!form.test(token)) return null;
      const hash = Buffer.from(token, 'base64url').subarray(0, HALF);
      const expected = Buffer.from(signed(hash).toString('base64url'));
      return timingSafeEqual(Buffer.from(token), expected) ? hash.toString('base64url') : null;
    },
  };
};
