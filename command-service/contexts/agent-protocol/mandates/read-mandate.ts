import type { KeyObject } from 'node:crypto';
import { compactVerify, decodeProtectedHeader, type CompactVerifyResult } from 'jose';
import type { PublicKey } from '#agents/agent-profile.ts';
import type { Json } from '#agents/dialects.ts';
import { readKey } from '#agents/read-profile.ts';
import { es256Key } from '#signatures/public-keys.ts';
import { digestOf, disclosedClaims, isObject } from './disclosures.ts';

/** A key of an agent that can check ES256. */
export interface MandateKey {
  readonly published: PublicKey;
  readonly key: KeyObject;
}

/** A mandate whose signature is checked and, where it carries one, its key binding. */
export interface ReadMandate {
  readonly claims: Json;
  readonly signedBy: PublicKey;
}

/** It names a key that the agent's are not, which may be a new one. */
export type UnknownKey = 'unknown-key';

/** Which keys may have signed a mandate, and whom it must address. */
export interface MandateReaders {
  readonly agentKeys: readonly MandateKey[];
  /** The shop's address. */
  readonly audience: string;
}

/** A mandate need not say which of the agent's keys signed it: this many are tried. */
const MOST_TRIED_KEYS = 5;
const es256 = { algorithms: ['ES256'] };

export const usableKeys = (keys: readonly PublicKey[]): readonly MandateKey[] =>
  keys.flatMap((published) => {
    const key = es256Key(published);
    return key ? [{ published, key }] : [];
  });

/** A JWT, its disclosures and its key binding, between tildes; without a binding, the last tilde may be missing. */
const partsOf = (mandate: string) => {
  const [jwt = '', ...rest] = mandate.split('~');
  const last = rest.pop() ?? '';
  const isBinding = last.includes('.');
  return {
    jwt,
    disclosures: isBinding || last === '' ? rest : [...rest, last],
    binding: isBinding ? last : null,
  };
};

/** What a JWT says, which allows no extensions of a JWS. */
const saidBy = ({ payload, protectedHeader: { crit } }: CompactVerifyResult): Json => {
  const said = JSON.parse(Buffer.from(payload).toString()) as unknown;
  if (!isObject(said) || crit !== undefined) throw new TypeError('no claims');
  return said;
};

/** Null: none of the keys has signed it. */
const verify = async (jwt: string, keys: readonly MandateKey[]): Promise<ReadMandate | null> => {
  for (const { key, published } of keys.slice(0, MOST_TRIED_KEYS)) {
    const verified = await compactVerify(jwt, key, es256).catch(() => null);
    if (verified) return { claims: saidBy(verified), signedBy: published };
  }
  return null;
};

/** The key that a mandate is bound to: its own, or one of the agent's. Null: it names none that could be. */
const boundKey = ({ cnf }: Json, agentKeys: readonly MandateKey[]): KeyObject | UnknownKey | null => {
  const { jwk, kid }: Json = isObject(cnf) ? cnf : {};
  if (isObject(jwk)) return es256Key(readKey({ kid: 'holder', ...jwk }, 'cnf.jwk'));
  if (typeof kid !== 'string') return null;
  return agentKeys.find(({ published }) => published.kid === kid)?.key ?? 'unknown-key';
};

const isBound = async (
  mandate: string,
  binding: string,
  claims: Json,
  { agentKeys, audience }: MandateReaders,
): Promise<boolean | UnknownKey> => {
  const key = boundKey(claims, agentKeys);
  if (key === null) return false;
  if (key === 'unknown-key') return key;
  const verified = await compactVerify(binding, key, es256);
  const said = saidBy(verified);
  const isOfThis = said['sd_hash'] === digestOf(mandate.slice(0, -binding.length));
  return isOfThis && verified.protectedHeader.typ === 'kb+jwt' && said['aud'] === audience;
};

/** Null: it proves nothing. */
export const readMandate = async (
  mandate: string,
  readers: MandateReaders,
): Promise<ReadMandate | UnknownKey | null> => {
  try {
    const { jwt, disclosures, binding } = partsOf(mandate);
    const { kid } = decodeProtectedHeader(jwt);
    const named = readers.agentKeys.filter(({ published }) => kid === undefined || published.kid === kid);
    if (named.length === 0) return 'unknown-key';
    const verified = await verify(jwt, named);
    if (!verified) return null;
    const claims = disclosedClaims(verified.claims, disclosures);
    const holds = binding === null || (await isBound(mandate, binding, claims, readers));
    if (holds === 'unknown-key') return holds;
    return holds ? { ...verified, claims } : null;
  } catch {
    return null;
  }
};
