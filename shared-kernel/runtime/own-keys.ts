import { createPrivateKey, sign } from 'node:crypto';
import type { OwnKeys, Signer } from '#agents/own-keys.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { signsAt, type PublishedKey, type SigningKey } from '#values/signing-key.ts';

interface KnownKeys {
  published(): readonly PublishedKey[];
  /** Oldest first. */
  accepted(): readonly SigningKey[];
}

const signerOf = ({ published: { kid, kty, crv, x, y }, privateHalf }: SigningKey): Signer => {
  const d = privateHalf();
  if (d === null) throw new EngineUnavailable(`the private half of signing key ${kid} cannot be opened`);
  const key = createPrivateKey({ key: { kty, crv, x, y, d }, format: 'jwk' });
  return { kid, sign: (bytes) => sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }) };
};

/** The shop's own keys as this process knows them; the clock decides which one signs. */
export const createOwnKeys = (keys: KnownKeys, clock: Clock): OwnKeys => {
  const signers = new WeakMap<SigningKey, Signer>();
  return {
    published: () => keys.published(),
    find: (kid) => keys.published().find((key) => key.kid === kid),
    signer: () => {
      const active = signsAt(keys.accepted(), isoInstant(clock.now()));
      if (!active) throw new EngineUnavailable('the shop has no signing key yet: try again in a second');
      const signer = signers.get(active) ?? signerOf(active);
      signers.set(active, signer);
      return signer;
    },
  };
};
