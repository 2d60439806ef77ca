import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { PublicKey } from '#agents/agent-profile.ts';

/** Finds a published key by its id; undefined: there is none. */
export type FindKey = (kid: string) => PublicKey | undefined;

const MOST_KEPT = 1000;
const coordinate = /^[\w-]{43}$/;

/** Keys that were parsed; false for those that are not on the curve. */
const read = new LRUCache<string, KeyObject | false>({ max: MOST_KEPT });

/** A key that can check ES256; null for one of another kind, or of another use. */
export const es256Key = ({
  kty,
  crv,
  x = '',
  y = '',
  use = 'sig',
  alg = 'ES256',
}: PublicKey): KeyObject | null => {
  if (kty !== 'EC' || crv !== 'P-256' || use !== 'sig' || alg !== 'ES256') return null;
  if (!coordinate.test(x) || !coordinate.test(y)) return null;
  const point = `${x}.${y}`;
  const known = read.get(point);
  if (known !== undefined) return known || null;
  let key: KeyObject | false;
  try {
    key = createPublicKey({ format: 'jwk', key: { kty, crv, x, y } });
  } catch {
    key = false;
  }
  read.set(point, key);
  return key || null;
};

const SIGNATURE_BYTES = 64;

/** Whether r and s, 32 bytes each, are the key's over these bytes. */
export const isSignedWith = (key: KeyObject, bytes: Buffer, signature: Uint8Array): boolean =>
  signature.length === SIGNATURE_BYTES &&
  verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, signature);
