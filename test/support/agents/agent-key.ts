import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { PublicKey } from '#agents/agent-profile.ts';
import type { Signer } from '#agents/own-keys.ts';

/** A pair of keys of an agent, on a curve of its choice. */
export interface AgentKey extends Signer {
  readonly published: PublicKey;
  readonly privateKey: KeyObject;
}

export const agentKey = (kid: string, namedCurve: 'P-256' | 'P-384' = 'P-256'): AgentKey => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' }) as {
    readonly x?: string;
    readonly y?: string;
  };
  return {
    kid,
    published: { kid, kty: 'EC', crv: namedCurve, x, y, use: 'sig' },
    privateKey,
    sign: (bytes) => sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  };
};
