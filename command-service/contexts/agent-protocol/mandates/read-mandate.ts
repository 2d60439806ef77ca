import { createHash, type KeyObject } from 'node:crypto';
import { decodeSdJwtSync, splitSdJwt, unpackSync } from '@sd-jwt/decode';
import { compactVerify } from 'jose';
import type { PublicKey } from '#agents/agent-profile.ts';
import type { Json } from '#agents/dialects.ts';
import { es256Key } from '#signatures/public-keys.ts';

/** A key of an agent that can check ES256. */
export interface MandateKey {
  readonly kid: string;
  readonly key: KeyObject;
}

/** By whose keys a mandate must be signed, and for whom it must be. */
export interface MandateReaders {
  readonly agentKeys: readonly MandateKey[];
  /** The shop's address. */
  readonly audience: string;
}

/** A mandate is signed by one of the agent's keys, and none says which: so many are tried. */
const MOST_TRIED_KEYS = 5;
const es256 = { algorithms: ['ES256'] };

export const usableKeys = (keys: readonly PublicKey[]): readonly MandateKey[] =>
  keys.flatMap((published) => {
    const key = es256Key(published);
    return key ? [{ kid: published.kid, key }] : [];
  });

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

const hasher = (text: string, algorithm: string): Uint8Array => {
  if (algorithm !== 'sha-256') throw new TypeError('disclosures are hashed by sha-256');
  return digestOf(text);
};

/** A mandate without a key binding may end with its last disclosure. */
const ended = (mandate: string): string => {
  const last = mandate.slice(mandate.lastIndexOf('~') + 1);
  return mandate.includes('~') && last !== '' && !last.includes('.') ? `${mandate}~` : mandate;
};

const isSignedByOneOf = async (jws: string, keys: readonly MandateKey[]): Promise<boolean> => {
  for (const { key } of keys.slice(0, MOST_TRIED_KEYS)) {
    const isSigned = await compactVerify(jws, key, es256).then(
      () => true,
      () => false,
    );
    if (isSigned) return true;
  }
  return false;
};

/** Every disclosure stands for a digest: what was added to a mandate later is none of it. */
const claimsOf = (payload: Record<string, unknown>, disclosures: Parameters<typeof unpackSync>[1]): Json => {
  const { unpackedObj, disclosureKeymap } = unpackSync(payload, disclosures, hasher);
  if (new Set(Object.values(disclosureKeymap)).size !== disclosures.length)
    throw new TypeError('a disclosure without its digest');
  return unpackedObj as Json;
};

/** The key that a mandate is bound to: its own, or one of the agent's. */
const boundKey = ({ cnf }: Json, agentKeys: readonly MandateKey[]): KeyObject | null => {
  const { jwk, kid } = (cnf ?? {}) as { readonly jwk?: PublicKey; readonly kid?: unknown };
  return jwk ? es256Key(jwk) : (agentKeys.find((one) => one.kid === kid)?.key ?? null);
};

const isBound = async (
  sdJwt: string,
  claims: Json,
  { agentKeys, audience }: MandateReaders,
): Promise<boolean> => {
  const { kbJwt: binding } = splitSdJwt(sdJwt);
  if (binding === undefined) return true;
  const key = boundKey(claims, agentKeys);
  if (!key) return false;
  const { payload, protectedHeader } = await compactVerify(binding, key, es256);
  const said = JSON.parse(Buffer.from(payload).toString()) as Json;
  const isOfThis = said['sd_hash'] === digestOf(sdJwt.slice(0, -binding.length)).toString('base64url');
  return isOfThis && protectedHeader.typ === 'kb+jwt' && said['aud'] === audience;
};

/**
 * What a mandate says, once its signature is checked and, where it carries one, its key binding; null: it proves
 * nothing.
 */
export const readMandate = async (mandate: string, readers: MandateReaders): Promise<Json | null> => {
  try {
    const sdJwt = ended(mandate);
    const { jwt, disclosures } = decodeSdJwtSync(sdJwt, hasher);
    const { kid } = jwt.header;
    const named = readers.agentKeys.filter((key) => kid === undefined || key.kid === kid);
    if (!(await isSignedByOneOf(splitSdJwt(sdJwt).jwt, named))) return null;
    const claims = claimsOf(jwt.payload, disclosures);
    return (await isBound(sdJwt, claims, readers)) ? claims : null;
  } catch {
    return null;
  }
};
