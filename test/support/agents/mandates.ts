import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import type { PublicKey } from '#agents/agent-profile.ts';

/** A pair as a wallet or an agent has it. */
export interface WalletKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: PublicKey;
}

export const walletKey = (kid: string, namedCurve: 'P-256' | 'P-384' = 'P-256'): WalletKey => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  const { kty = '', ...jwk } = publicKey.export({ format: 'jwk' }) as Partial<PublicKey>;
  return { kid, privateKey, publicKey: { ...jwk, kid, kty } };
};

export const base64url = (text: string | Buffer): string => Buffer.from(text).toString('base64url');
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** A compact JWS by ES256, as any wallet makes it. */
export const jws = (payload: object, { privateKey: key, kid }: WalletKey, header: object = {}): string => {
  const protectedHeader = base64url(JSON.stringify({ alg: 'ES256', kid, ...header }));
  const input = `${protectedHeader}.${base64url(JSON.stringify(payload))}`;
  return `${input}.${base64url(sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }))}`;
};

/** A claim, or without a name an element of a list, of which a credential has the digest only. */
export const disclosure = (name: string | null, value: unknown) => {
  const salt = base64url(randomBytes(16));
  const encoded = base64url(JSON.stringify(name === null ? [salt, value] : [salt, name, value]));
  return { encoded, digest: hashOf(encoded) };
};

/** A credential with its disclosures, each of which is closed by a tilde. */
export const presented = (credential: string, ...disclosures: readonly string[]): string =>
  [credential, ...disclosures, ''].join('~');

/** The same with the proof that its holder presents it to `aud`. */
export const bound = (credential: string, holder: WalletKey, aud: string, claims: object = {}): string => {
  const said = { iat: 1_800_000_000, aud, nonce: 'n', sd_hash: hashOf(credential), ...claims };
  return credential + jws(said, holder, { typ: 'kb+jwt' });
};
