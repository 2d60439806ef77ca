import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type JsonWebKeyInput,
  type KeyObject,
} from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** A key as profiles and manifests publish it. */
export interface PublishedKey {
  readonly kid: string;
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
}

export interface AgentKey {
  readonly kid: string;
  readonly published: object;
  /** ES256: r and s, 32 bytes each. */
  readonly sign: (bytes: Buffer) => Buffer;
}

const keyFrom = (privateKey: KeyObject): AgentKey => {
  const { kty, crv, x, y } = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = `agent-${String(x).slice(0, 8)}`;
  return {
    kid,
    published: { kid, kty, crv, x, y, use: 'sig', alg: 'ES256' },
    sign: (bytes) => sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  };
};

/** The key of an earlier run, else a new one: shops remember a profile with its keys for minutes. */
export const keptKey = (file: string): AgentKey => {
  if (existsSync(file)) return keyFrom(createPrivateKey(readFileSync(file)));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  return keyFrom(privateKey);
};

export const isSignedBy = (published: PublishedKey, bytes: Buffer, signature: Buffer): boolean => {
  const { kty, crv, x, y } = published;
  const jwk: JsonWebKeyInput = { format: 'jwk', key: { kty, crv, x, y } };
  const key = createPublicKey(jwk);
  return verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, signature);
};
