import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, sign, verify } from 'node:crypto';

/** What a seal says: up to `position` the log has `count` events, whose hashes come to `digest`. */
export interface SealedContent {
  /** Counts the seals from 1. */
  readonly number: number;
  readonly position: number;
  /** The event at that position. */
  readonly eventId: string;
  readonly count: number;
  readonly digest: string;
  /** The link to the seal before it, see `linkTo`; '' in the first one. */
  readonly previous: string;
  readonly sealedAt: string;
}

/** Says how the log was at a moment, signed, so that neither its tail nor its history can be exchanged unseen. */
export interface LogSeal extends SealedContent {
  /** Ed25519 over `signedText`, base64url. */
  readonly signature: string;
}

/** What is signed: one line, which can be written down from the seal (docs/rules/proof.md#seals). */
export const signedText = (seal: SealedContent): string => {
  const { number, position, eventId, count, digest, previous, sealedAt } = seal;
  return ['tillroll-seal', number, position, eventId, count, digest, previous, sealedAt].join('|');
};

/** What the next seal says of this one. */
export const linkTo = (seal: LogSeal): string =>
  hash('sha256', `${signedText(seal)}|${seal.signature}`, 'base64url');

export interface SealKeyPair {
  /** PEM. */
  readonly publicKey: string;
  /** PEM. */
  readonly privateKey: string;
}

export const newSealKeys = (): SealKeyPair =>
  generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

export const signSeal = (content: SealedContent, privateKey: string): LogSeal => ({
  ...content,
  signature: sign(null, Buffer.from(signedText(content)), createPrivateKey(privateKey)).toString('base64url'),
});

/** False for a key that is none, too. */
export const isSignedBy = (seal: LogSeal, publicKey: string): boolean => {
  try {
    const signature = Buffer.from(seal.signature, 'base64url');
    return verify(null, Buffer.from(signedText(seal)), createPublicKey(publicKey), signature);
  } catch {
    return false;
  }
};
